import type { PodInfo } from "../cache/pod-info.ts";

const nobody: readonly PodInfo[] = [];

/**
 * Pods that are nominated for a node on which others are being evicted for them. Until they are placed, pods of lower
 * priority must leave them room on that node.
 *
 * Upstream: pkg/scheduler/backend/queue/nominator.go.
 */
export class NominatedPods {
  readonly #byNode = new Map<string, PodInfo[]>();
  readonly #nodeOf = new Map<string, string>();

  get size(): number {
    return this.#nodeOf.size;
  }

  onNode(nodeName: string): readonly PodInfo[] {
    return this.#byNode.get(nodeName) ?? nobody;
  }

  /** The nominated node of a pod. */
  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  /** Nominates a node; by default the one in the pod's status. "" clears the nomination. */
  set(pod: PodInfo, nodeName: string = pod.pod.status?.nominatedNodeName ?? ""): void {
    this.delete(pod.uid);
    if (nodeName === "") return;
    this.#nodeOf.set(pod.uid, nodeName);
    const list = this.#byNode.get(nodeName);
    if (list) list.push(pod);
    else this.#byNode.set(nodeName, [pod]);
  }

  /**
   * Updates a pod. A nomination that is not yet in the status survives an update without a nomination in the old and the new
   * status.
   */
  update(before: PodInfo, after: PodInfo): void {
    const own = this.#nodeOf.get(before.uid);
    const untouched = !before.pod.status?.nominatedNodeName && !after.pod.status?.nominatedNodeName;
    this.delete(before.uid);
    this.set(after, untouched ? (own ?? "") : undefined);
  }

  delete(uid: string): void {
    const nodeName = this.#nodeOf.get(uid);
    if (nodeName === undefined) return;
    this.#nodeOf.delete(uid);
    const rest = this.onNode(nodeName).filter((pod) => pod.uid !== uid);
    if (rest.length > 0) this.#byNode.set(nodeName, rest);
    else this.#byNode.delete(nodeName);
  }
}
