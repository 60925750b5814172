import { type Pod, pods } from "#/api/core/v1.ts";
import { podDisruptionBudgets } from "#/api/policy/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { invalid } from "#/machinery/meta/field-error.ts";
import { randomInt } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import type { NodeInfo } from "../cache/node-info.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import type { ArgumentRules } from "../config/plugin-settings.ts";
import type { Extender, Victims } from "../extender/extender.ts";
import { action, interest } from "../framework/cluster-event.ts";
import type { Cycle } from "../framework/cycle.ts";
import type { FilterRun } from "../framework/filter-run.ts";
import {
  type Diagnosis,
  fitErrorText,
  newDiagnosis,
  resolvableNodes,
} from "../framework/fit-error.ts";
import type { PostFilterResult } from "../framework/plugin.ts";
import { rejectForGood } from "../framework/rejection.ts";
import { type Budget, compileBudgets } from "../preemption/disruption-budgets.ts";
import { Evictor } from "../preemption/evictor.ts";
import { type Candidate, pickCandidate } from "../preemption/pick-candidate.ts";
import { foundVictims, selectVictims } from "../preemption/select-victims.ts";
import { candidatesWanted, type DefaultPreemptionArgs } from "./candidates-wanted.ts";
import { validateRange } from "./shared/argument-parts.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "./shared/plugin-declaration.ts";

const log = logger("scheduler");

const name = "DefaultPreemption";

const waiting = rejectForGood(name, "waiting for the preemption for this pod to be finished");

const notHelpful = rejectForGood(name, "Preemption is not helpful for scheduling");

const argumentRules: ArgumentRules<DefaultPreemptionArgs> = {
  complete: (given) => ({
    ...given,
    minCandidateNodesPercentage: given.minCandidateNodesPercentage ?? 10,
    minCandidateNodesAbsolute: given.minCandidateNodesAbsolute ?? 100,
  }),
  validate(args, path) {
    const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = args;
    const percentagePath = path.child("minCandidateNodesPercentage");
    const absolutePath = path.child("minCandidateNodesAbsolute");
    const errors = validateRange(percentage, 0, 100, percentagePath);
    if (absolute < 0) errors.push(invalid(absolutePath, absolute, "not in valid range [0, inf)"));
    if (percentage === 0 && absolute === 0) {
      const text = "cannot be zero at the same time as";
      errors.push(invalid(percentagePath, percentage, `${text} minCandidateNodesAbsolute`));
      errors.push(invalid(absolutePath, absolute, `${text} minCandidateNodesPercentage`));
    }
    return errors;
  },
};

const failed = (message: string, nominatedNode?: string): PostFilterResult => ({
  success: false,
  message: `preemption: ${message}`,
  nominatedNode,
});

/**
 * Evicts pods of lower priority for a pod that fits nowhere, on the node where this disrupts least.
 *
 * Upstream: pkg/scheduler/framework/plugins/defaultpreemption, pkg/scheduler/framework/preemption.
 */
export const defaultPreemption: PluginDeclaration<DefaultPreemptionArgs> = {
  name,
  args: argumentRules,
  make,
};

function make(args: DefaultPreemptionArgs, { context, extenders }: MakingOptions): PluginMethods {
  const evictor = new Evictor(context, name);
  const podLister = context.lister(pods);
  const budgetLister = context.lister(podDisruptionBudgets);
  return {
    requeueOn: [interest("AssignedPod", action.Delete, () => false)],
    preEnqueue: ({ metadata }) => (evictor.isRunningFor(metadata.uid ?? "") ? waiting : undefined),
    async postFilter(cycle, diagnosis) {
      const { result, victims = 0 } = await preempt(cycle, diagnosis);
      context.countPreemption(victims);
      return result;
    },
  };

  async function preempt(
    { pod: own, snapshot, filters }: Cycle,
    diagnosis: Diagnosis,
  ): Promise<{ readonly result: PostFilterResult; readonly victims?: number }> {
    const pod = podLister.get(own.namespace, own.name);
    if (pod === undefined) return { result: failed(`pod "${own.name}" not found`) };
    const refusal = whyNotEligible(pod, snapshot, diagnosis);
    if (refusal !== undefined) return { result: failed(refusal) };
    const potential = filters ? resolvableNodes(diagnosis, snapshot) : [];
    const budgets = compileBudgets(budgetLister.list());
    const wanted = candidatesWanted(args, potential.length);
    const start = potential.length === 0 ? 0 : randomInt(context.random, potential.length);
    const ring = [...potential.slice(start), ...potential.slice(0, start)];
    const tried = newDiagnosis(snapshot.nodes.length);
    const dry = { budgets, wanted, tried, giveWay: context.giveWay };
    const candidates = filters ? await dryRun(filters, ring, dry) : [];
    if (candidates.length === 0) {
      tried.absent = notHelpful;
      return { result: failed(fitErrorText(tried), "") };
    }
    const agreed = await askExtenders(extenders, pod, candidates, snapshot);
    const best = pickCandidate(agreed);
    if (best === undefined) return { result: failed("no candidate node for preemption") };
    evictor.evict(own, best);
    const { nodeName, victims } = best;
    const found = `found a potential placement for pod on node ${nodeName}`;
    const message = `preemption: ${found}, preempting ${victims.pods.length} victims`;
    return {
      result: { success: true, nominatedNode: nodeName, message },
      victims: victims.pods.length,
    };
  }
}

/** Why a pod may not preempt others; undefined if it may. */
function whyNotEligible(
  { spec, status }: Pod,
  snapshot: Snapshot,
  { rejections, absent }: Diagnosis,
): string | undefined {
  if (spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = status?.nominatedNodeName;
  if (!nominated) return undefined;
  const rejection = rejections.get(nominated) ?? absent;
  if (rejection === undefined || !rejection.resolvable) return undefined;
  const leaving = snapshot.find(nominated)?.pods.some(({ priority, pod }) => {
    return priority < (spec.priority ?? 0) && isBeingPreempted(pod);
  });
  return leaving ? "not eligible due to a terminating pod on the nominated node." : undefined;
}

function isBeingPreempted({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const condition = findCondition(status?.conditions, "DisruptionTarget");
  return condition?.status === "True" && condition.reason === "PreemptionByScheduler";
}

interface DryRunOptions {
  readonly budgets: readonly Budget[];
  /** Limit of candidates (count): enough to choose from. */
  readonly wanted: number;
  /** Receives the rejections. */
  readonly tried: Diagnosis;
  readonly giveWay: () => Promise<void>;
}

/** Searches victims node by node until there are enough candidates; rejections are added to the diagnosis. */
async function dryRun(
  filters: FilterRun,
  nodes: readonly NodeInfo[],
  { budgets, wanted, tried, giveWay }: DryRunOptions,
): Promise<Candidate[]> {
  const within: Candidate[] = [];
  const violating: Candidate[] = [];
  for (const node of nodes) {
    await giveWay();
    const answer = selectVictims(filters, node, budgets);
    if (!foundVictims(answer)) {
      tried.rejections.set(node.name, answer);
      continue;
    }
    const list = answer.pdbViolations === 0 ? within : violating;
    list.push({ nodeName: node.name, victims: answer });
    if (within.length > 0 && within.length + violating.length >= wanted) break;
  }
  return [...within, ...violating];
}

async function askExtenders(
  extenders: readonly Extender[],
  pod: Pod,
  candidates: readonly Candidate[],
  snapshot: Snapshot,
): Promise<readonly Candidate[]> {
  const asked = extenders.filter((one) => one.supportsPreemption && one.isInterested(pod));
  if (asked.length === 0) return candidates;
  let left = new Map<string, Victims>(
    candidates.map(({ nodeName, victims }) => [nodeName, victims]),
  );
  for (const extender of asked) {
    if (left.size === 0) break;
    try {
      const agreed = await extender.processPreemption(pod, left, snapshot);
      for (const [nodeName, { pods: victims }] of agreed) {
        if (victims.length > 0) continue;
        if (!extender.isIgnorable) {
          throw new Error(`expected at least one victim pod on node "${nodeName}"`);
        }
        agreed.delete(nodeName);
      }
      left = agreed;
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      log.info("skipping extender as it failed and is ignorable", { extender: extender.url });
    }
  }
  return Array.from(left, ([nodeName, victims]) => ({ nodeName, victims }));
}
