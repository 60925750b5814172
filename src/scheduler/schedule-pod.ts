import { type Random, randomInt } from "#/std/base/random.ts";
import type { TurnBudget } from "#/std/memory/turn-budget.ts";
import type { NodeInfo } from "./cache/node-info.ts";
import type { Snapshot } from "./cache/snapshot.ts";
import { filterByExtenders, scoreByExtenders } from "./extender/ask-extenders.ts";
import type { Extender } from "./extender/extender.ts";
import type { Cycle } from "./framework/cycle.ts";
import { type FilterRun, type Nominations, prepareFilters } from "./framework/filter-run.ts";
import {
  type Diagnosis,
  FitError,
  NoNodesError,
  newDiagnosis,
  notePlugin,
} from "./framework/fit-error.ts";
import type { Profile } from "./framework/profile.ts";
import { rejectForGood, rejectionText } from "./framework/rejection.ts";
import { type ScoreTable, scoreNodes } from "./framework/score-run.ts";
import type { PhaseTimer } from "./metrics.ts";
import { nodesToFind } from "./nodes-to-find.ts";

/** Number of nodes filtered between two checks of the clock. */
const nodesPerClockCheck = 128;

/** The node chosen for a pod, and why. */
export interface Placement {
  readonly node: NodeInfo;
  readonly evaluatedNodes: number;
  readonly feasibleNodes: number;
  /** Undefined if only one node was feasible. */
  readonly table: ScoreTable | undefined;
  readonly diagnosis: Diagnosis;
}

interface PodPlacerOptions {
  readonly percentageOfNodesToScore: number;
  readonly extenders: readonly Extender[];
  readonly nominations: Nominations;
  readonly random: Random;
  readonly budget: TurnBudget;
  /** Starts to measure an extension point. */
  readonly time: (point: string, profile: string) => PhaseTimer;
}

/** Chooses a node for a pod. */
export class PodPlacer {
  readonly #options: PodPlacerOptions;
  /** Index of the node at which the next search starts, so that all nodes get their turn. */
  #nextStart = 0;

  constructor(options: PodPlacerOptions) {
    this.#options = options;
  }

  /** The best node. Throws FitError, NoNodesError or an internal error. */
  async place(profile: Profile, cycle: Cycle): Promise<Placement> {
    const { snapshot } = cycle;
    if (snapshot.nodes.length === 0) throw new NoNodesError();
    const { feasible, diagnosis } = await this.#findFeasible(profile, cycle);
    const [first] = feasible;
    if (first === undefined) throw new FitError(diagnosis);
    const counts = {
      evaluatedNodes: feasible.length + diagnosis.rejections.size,
      feasibleNodes: feasible.length,
      diagnosis,
    };
    if (feasible.length === 1) return { node: first, table: undefined, ...counts };
    const table = await this.#score(profile, cycle, feasible);
    return { node: this.#best(table) ?? first, table, ...counts };
  }

  async #findFeasible(
    profile: Profile,
    cycle: Cycle,
  ): Promise<{ feasible: readonly NodeInfo[]; diagnosis: Diagnosis }> {
    const { snapshot, pod } = cycle;
    const { extenders, nominations, time } = this.#options;
    const diagnosis = newDiagnosis(snapshot.nodes.length);
    using preFilter = time("PreFilter", profile.name);
    const prepared = prepareFilters(profile.filter, cycle, nominations);
    preFilter.end(prepared.rejection);
    for (const plugin of prepared.pluginsWithNodes) diagnosis.unschedulablePlugins.add(plugin);
    if (prepared.rejection) {
      diagnosis.absent = prepared.rejection;
      diagnosis.preFilterMessage = rejectionText(prepared.rejection);
      notePlugin(diagnosis, prepared.rejection);
      return { feasible: [], diagnosis };
    }
    cycle.filters = prepared.run;
    using filter = time("Filter", profile.name);
    const nominatedNode = this.#nominatedNode(cycle);
    if (nominatedNode && prepared.run.check(nominatedNode) === undefined) {
      const nominated = await filterByExtenders(extenders, pod, [nominatedNode], diagnosis);
      if (nominated.length > 0) return { feasible: nominated, diagnosis };
    }
    const nodes = candidates(snapshot, prepared.nodeNames);
    if (prepared.nodeNames) {
      const names = [...prepared.pluginsWithNodes].sort().join(" ");
      diagnosis.absent = rejectForGood("", `node(s) didn't satisfy plugin(s) [${names}]`);
    }
    const wanted = this.#wantedNodes(profile, nodes.length);
    const fitting = await this.#filter(prepared.run, nodes, wanted, diagnosis);
    const processed = fitting.length + diagnosis.rejections.size;
    this.#nextStart = (this.#nextStart + processed) % snapshot.nodes.length;
    filter.end(undefined);
    const feasible = await filterByExtenders(extenders, pod, fitting, diagnosis);
    return { feasible, diagnosis };
  }

  /** The nominated node in the pod's status: pods were evicted from it for this pod, so it is tried first. */
  #nominatedNode({ pod, snapshot }: Cycle): NodeInfo | undefined {
    const name = pod.pod.status?.nominatedNodeName;
    return name ? snapshot.find(name) : undefined;
  }

  #wantedNodes(profile: Profile, count: number): number {
    const { extenders, percentageOfNodesToScore } = this.#options;
    const chooses =
      profile.score.length > 0 || extenders.some((one) => one.isFilter || one.isPrioritizer);
    if (!chooses) return 1;
    return nodesToFind(profile.percentageOfNodesToScore ?? percentageOfNodesToScore, count);
  }

  async #filter(
    run: FilterRun,
    nodes: readonly NodeInfo[],
    wanted: number,
    diagnosis: Diagnosis,
  ): Promise<NodeInfo[]> {
    const { budget } = this.#options;
    const fitting: NodeInfo[] = [];
    const start = this.#nextStart;
    for (let i = 0; i < nodes.length && fitting.length < wanted; i++) {
      const node = nodes[(start + i) % nodes.length];
      if (node === undefined) continue;
      const rejection = run.check(node);
      if (rejection === undefined) {
        fitting.push(node);
      } else {
        diagnosis.rejections.set(node.name, rejection);
        notePlugin(diagnosis, rejection);
      }
      if (i % nodesPerClockCheck === nodesPerClockCheck - 1 && budget.isSpent) await budget.yield();
    }
    return fitting;
  }

  async #score(profile: Profile, cycle: Cycle, feasible: readonly NodeInfo[]): Promise<ScoreTable> {
    const { extenders, budget, time } = this.#options;
    using timer = time("Score", profile.name);
    const steps = scoreNodes(profile.score, cycle, feasible);
    let step = steps.next();
    while (!step.done) {
      if (budget.isSpent) await budget.yield();
      step = steps.next();
    }
    const table = step.value;
    if (extenders.length > 0) await scoreByExtenders(extenders, cycle.pod, table);
    timer.end(undefined);
    return table;
  }

  /** One of the best nodes, chosen at random with equal probability. */
  #best({ nodes, totals }: ScoreTable): NodeInfo | undefined {
    let best = Number.NEGATIVE_INFINITY;
    let chosen: number | undefined;
    let ties = 0;
    for (let i = 0; i < totals.length; i++) {
      const total = totals[i] ?? 0;
      if (total > best) {
        best = total;
        chosen = i;
        ties = 1;
      } else if (total === best && randomInt(this.#options.random, ++ties) === 0) {
        chosen = i;
      }
    }
    return chosen === undefined ? undefined : nodes[chosen];
  }
}

function candidates(
  snapshot: Snapshot,
  names: ReadonlySet<string> | undefined,
): readonly NodeInfo[] {
  if (names === undefined) return snapshot.nodes;
  return [...names].flatMap((name) => snapshot.find(name) ?? []);
}
