import type { NodeInfo } from "../cache/node-info.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Cycle } from "./cycle.ts";
import type { ForkedFilter, NodeFilter, Plugin } from "./plugin.ts";
import { isRejection, type Rejection, rejectForGood } from "./rejection.ts";

/** Pods that have a nominated node. */
export type Nominations = (nodeName: string) => readonly PodInfo[];

/** The filter of a plugin that did not skip the pod. */
interface ActiveFilter {
  readonly plugin: string;
  readonly filter: NodeFilter | ForkedFilter;
}

/** All filters of a pod, after PreFilter. */
export class FilterRun {
  readonly pod: PodInfo;
  readonly #filters: readonly ActiveFilter[];
  readonly #nominations: Nominations;

  constructor(pod: PodInfo, filters: readonly ActiveFilter[], nominations: Nominations) {
    this.pod = pod;
    this.#filters = filters;
    this.#nominations = nominations;
  }

  /**
   * The first rejection of a node. If pods of at least the same priority are nominated for the node, the pod must fit both with
   * and without them, since they may be placed elsewhere.
   */
  check(node: NodeInfo): Rejection | undefined {
    const nominated = this.#nominations(node.name);
    if (nominated.length > 0) {
      const others = nominated.filter(({ uid, priority }) => {
        return priority >= this.pod.priority && uid !== this.pod.uid;
      });
      const rejection = others.length > 0 ? this.#checkWith(others, node) : undefined;
      if (rejection !== undefined) return rejection;
    }
    return this.#checkAlone(node);
  }

  /** A copy that is updated as pods are added to nodes and removed. */
  fork(): ForkedRun {
    const filters = this.#filters.map(({ plugin, filter }) => {
      return { plugin, filter: filter.fork?.() ?? filter };
    });
    return new ForkedRun(this.pod, filters, this.#nominations);
  }

  protected get filters(): readonly ActiveFilter[] {
    return this.#filters;
  }

  #checkAlone(node: NodeInfo): Rejection | undefined {
    for (const { plugin, filter } of this.#filters) {
      try {
        const rejection = filter.check(node);
        if (rejection !== undefined) return rejection;
      } catch (error) {
        throw new PluginError(`running "${plugin}" filter plugin`, error);
      }
    }
    return undefined;
  }

  #checkWith(others: readonly PodInfo[], node: NodeInfo): Rejection | undefined {
    const run = this.fork();
    let crowded = node;
    for (const other of others) {
      crowded = crowded.withPod(other);
      run.podAdded(other, crowded);
    }
    return run.#checkAlone(crowded);
  }
}

/** Filters that are notified of pods added to a node and removed from it. */
class ForkedRun extends FilterRun {
  podAdded(pod: PodInfo, node: NodeInfo): void {
    for (const { filter } of this.filters) if ("podAdded" in filter) filter.podAdded(pod, node);
  }

  podRemoved(pod: PodInfo, node: NodeInfo): void {
    for (const { filter } of this.filters) if ("podRemoved" in filter) filter.podRemoved(pod, node);
  }
}

/** An exception of a plugin. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  constructor(what: string, cause: unknown) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The result of PreFilter for a pod. */
interface PreparedFilters {
  readonly run: FilterRun;
  /** The only nodes to filter; undefined for all. */
  readonly nodeNames: ReadonlySet<string> | undefined;
  /** The plugins that restricted the nodes. */
  readonly pluginsWithNodes: ReadonlySet<string>;
  /** Set if the pod fits on no node at all. */
  readonly rejection: Rejection | undefined;
}

/**
 * PreFilter: calls every plugin once to get its filter for the pod.
 *
 * Upstream: pkg/scheduler/framework/runtime/framework.go.
 */
export function prepareFilters(
  plugins: readonly Plugin[],
  cycle: Cycle,
  nominations: Nominations,
): PreparedFilters {
  const filters: ActiveFilter[] = [];
  const pluginsWithNodes = new Set<string>();
  let nodeNames: ReadonlySet<string> | undefined;
  let rejection: Rejection | undefined;
  for (const plugin of plugins) {
    const answer = ask(plugin, cycle);
    if (answer === undefined) continue;
    if (isRejection(answer)) {
      rejection = answer;
      if (!answer.resolvable) break;
      continue;
    }
    filters.push({ plugin: plugin.name, filter: answer });
    if (answer.nodeNames === undefined) continue;
    pluginsWithNodes.add(plugin.name);
    nodeNames = nodeNames?.intersection(answer.nodeNames) ?? answer.nodeNames;
    if (nodeNames.size === 0) {
      rejection = rejectForGood("", noCommonNodes(pluginsWithNodes));
      break;
    }
  }
  const run = new FilterRun(cycle.pod, filters, nominations);
  return { run, nodeNames, pluginsWithNodes, rejection };
}

function ask(plugin: Plugin, cycle: Cycle): NodeFilter | Rejection | undefined {
  try {
    return plugin.filter?.(cycle);
  } catch (error) {
    throw new PluginError(`running PreFilter plugin "${plugin.name}"`, error);
  }
}

function noCommonNodes(plugins: ReadonlySet<string>): string {
  const names = [...plugins].sort();
  if (names.length === 1) return `node(s) didn't satisfy plugin ${names[0] ?? ""}`;
  return `node(s) didn't satisfy plugin(s) [${names.join(" ")}] simultaneously`;
}
