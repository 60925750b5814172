import type { Node, Pod } from "#/api/core/v1.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { NodeInfo } from "../cache/node-info.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import type { Extender as ExtenderConfig } from "../config/configuration.ts";
import { fieldOf, type PostJson } from "./post-json.ts";

/** Pods to evict from a node so that another fits. */
export interface Victims {
  readonly pods: readonly Pod[];
  readonly pdbViolations: number;
}

interface ExtenderFilterResult {
  readonly fitting: readonly NodeInfo[];
  readonly failed: Readonly<Record<string, string>>;
  readonly failedForGood: Readonly<Record<string, string>>;
}

const defaultTimeoutMs = 5_000;

/**
 * A web service that filters, scores or binds. Fields on the wire have no JSON tags upstream, so they are sent capitalized and
 * read in any case.
 *
 * Upstream: pkg/scheduler/extender.go, staging/src/k8s.io/kube-scheduler/extender/v1/types.go.
 */
export class Extender {
  readonly url: string;
  readonly isFilter: boolean;
  readonly isPrioritizer: boolean;
  readonly isBinder: boolean;
  readonly supportsPreemption: boolean;
  readonly isIgnorable: boolean;
  readonly weight: number;
  readonly #config: ExtenderConfig;
  readonly #post: PostJson;
  readonly #managed: ReadonlySet<string>;

  constructor(config: ExtenderConfig, post: PostJson) {
    this.url = config.urlPrefix;
    this.isFilter = Boolean(config.filterVerb);
    this.isPrioritizer = Boolean(config.prioritizeVerb);
    this.isBinder = Boolean(config.bindVerb);
    this.supportsPreemption = Boolean(config.preemptVerb);
    this.isIgnorable = config.ignorable === true;
    this.weight = config.weight ?? 0;
    this.#config = config;
    this.#post = post;
    this.#managed = new Set(config.managedResources?.map(({ name }) => name));
  }

  /** True if a pod uses a resource that this extender manages; true for every pod if it manages none. */
  isInterested({ spec }: Pod): boolean {
    if (this.#managed.size === 0) return true;
    return [...spec.containers, ...(spec.initContainers ?? [])].some(({ resources }) => {
      const names = Object.keys({ ...resources?.requests, ...resources?.limits });
      return names.some((name) => this.#managed.has(name));
    });
  }

  /** The nodes that the extender accepts for the pod. */
  async filter(pod: Pod, nodes: readonly NodeInfo[]): Promise<ExtenderFilterResult> {
    const { filterVerb = "" } = this.#config;
    if (filterVerb === "") return { fitting: nodes, failed: {}, failedForGood: {} };
    const result = await this.#send(filterVerb, this.#args(pod, nodes));
    const error = fieldOf<string>(result, "Error");
    if (error) throw new Error(error);
    return {
      fitting: this.#fitting(result, nodes),
      failed: fieldOf(result, "FailedNodes") ?? {},
      failedForGood: fieldOf(result, "FailedAndUnresolvableNodes") ?? {},
    };
  }

  /** Scores 0…10 by node. */
  async prioritize(pod: Pod, nodes: readonly NodeInfo[]): Promise<ReadonlyMap<string, number>> {
    const { prioritizeVerb = "" } = this.#config;
    if (prioritizeVerb === "") return new Map(nodes.map(({ name }) => [name, 0]));
    const list = await this.#send(prioritizeVerb, this.#args(pod, nodes));
    return new Map(
      (list as object[]).map((entry) => {
        return [fieldOf<string>(entry, "Host") ?? "", fieldOf<number>(entry, "Score") ?? 0];
      }),
    );
  }

  async bind(pod: Pod, nodeName: string): Promise<void> {
    const { name = "", namespace = "", uid = "" } = pod.metadata;
    const args = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: nodeName };
    const result = await this.#send(this.#config.bindVerb ?? "", args);
    const error = fieldOf<string>(result, "Error");
    if (error) throw new Error(error);
  }

  /** The candidates, with their victims, that the extender accepts. */
  async processPreemption(
    pod: Pod,
    victims: ReadonlyMap<string, Victims>,
    snapshot: Snapshot,
  ): Promise<Map<string, Victims>> {
    const result = await this.#send(this.#config.preemptVerb ?? "", this.#victimArgs(pod, victims));
    const agreed = fieldOf<Record<string, object>>(result, "NodeNameToMetaVictims") ?? {};
    return new Map(
      Object.entries(agreed).map(([nodeName, meta]) => {
        const pods = (fieldOf<object[]>(meta, "Pods") ?? []).map((entry) => {
          return this.#findPod(fieldOf<string>(entry, "UID") ?? "", nodeName, snapshot);
        });
        return [nodeName, { pods, pdbViolations: fieldOf<number>(meta, "NumPDBViolations") ?? 0 }];
      }),
    );
  }

  #victimArgs(pod: Pod, victims: ReadonlyMap<string, Victims>): object {
    const { nodeCacheCapable } = this.#config;
    const byNode = Object.fromEntries(
      Array.from(victims, ([node, { pods, pdbViolations }]) => {
        const list = nodeCacheCapable ? pods.map(({ metadata }) => ({ UID: metadata.uid })) : pods;
        return [node, { Pods: list, NumPDBViolations: pdbViolations }];
      }),
    );
    const names = ["NodeNameToMetaVictims", "NodeNameToVictims"];
    const [used, other] = nodeCacheCapable ? names : names.toReversed();
    return { Pod: pod, [used ?? ""]: byNode, [other ?? ""]: null };
  }

  #findPod(uid: string, nodeName: string, snapshot: Snapshot): Pod {
    const found = snapshot.find(nodeName)?.pods.find((info) => info.uid === uid);
    if (found) return found.pod;
    throw new Error(
      `extender: ${this.url} claims to preempt pod (UID: &{${uid}}) on node: ${nodeName}, but the pod is not found on that node`,
    );
  }

  #args(pod: Pod, nodes: readonly NodeInfo[]): object {
    if (this.#config.nodeCacheCapable) {
      return { Pod: pod, Nodes: null, NodeNames: nodes.map(({ name }) => name) };
    }
    const items = nodes.map(({ node }) => node);
    return { Pod: pod, Nodes: { metadata: {}, items }, NodeNames: null };
  }

  #fitting(result: unknown, nodes: readonly NodeInfo[]): readonly NodeInfo[] {
    const byName = new Map(nodes.map((node) => [node.name, node]));
    const names = this.#config.nodeCacheCapable
      ? fieldOf<string[]>(result, "NodeNames")
      : undefined;
    if (names) {
      return names.map((name) => {
        const node = byName.get(name);
        if (node) return node;
        throw new Error(
          `extender "${this.url}" claims a filtered node "${name}" which is not found in the input node list`,
        );
      });
    }
    const items = fieldOf<{ items?: Node[] }>(result, "Nodes")?.items ?? [];
    return items.flatMap(({ metadata }) => byName.get(metadata.name ?? "") ?? []);
  }

  #send(verb: string, body: object): Promise<unknown> {
    const { httpTimeout } = this.#config;
    const timeoutMs = httpTimeout ? parseDuration(httpTimeout) : 0;
    const url = `${this.url.replace(/\/+$/, "")}/${verb}`;
    return this.#post(url, body, { verb, timeoutMs: timeoutMs || defaultTimeoutMs });
  }
}
