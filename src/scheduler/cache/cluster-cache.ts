import type { Node } from "#/api/core/v1.ts";
import { NodeInfo } from "./node-info.ts";
import { hasAffinity, type PodInfo } from "./pod-info.ts";
import { Snapshot } from "./snapshot.ts";
import { inZoneTurns, zoneKeyOf } from "./zone-order.ts";

interface PlacedPod {
  readonly info: PodInfo;
  readonly nodeName: string;
  /** Placed by this scheduler, and the informer has not yet reported it as bound. */
  readonly assumed: boolean;
}

/**
 * The nodes and their pods, as the informers report them and as this scheduler has decided but not yet observed.
 * An assumed pod stays until it is observed as bound, forgotten or removed.
 *
 * Upstream: pkg/scheduler/backend/cache/cache.go.
 */
export class ClusterCache {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, PlacedPod>();
  /** Pods of nodes that the cache doesn't have (yet, or any more), by node. */
  readonly #strays = new Map<string, PodInfo[]>();
  readonly #images = new Map<string, { sizeBytes: number; nodes: number }>();
  #assumed = 0;
  #podsWithAffinity = 0;
  /** Nodes, alternating between zones; copied before a change if a snapshot references it. */
  #list: NodeInfo[] = [];
  #positions = new Map<string, number>();
  #orderIsStale = false;
  #snapshot: Snapshot | undefined;

  get nodeCount(): number {
    return this.#nodes.size;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get assumedCount(): number {
    return this.#assumed;
  }

  /** The current state of the cluster; the same object until something changes. */
  snapshot(): Snapshot {
    if (this.#orderIsStale) this.#reorder();
    this.#snapshot ??= new Snapshot(this.#list, this.#positions, {
      spread: (image) => this.#images.get(image),
      noAffinity: this.#podsWithAffinity === 0,
    });
    return this.#snapshot;
  }

  findNode(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  /** The pod in the cache, which may be assumed. */
  findPod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid)?.info;
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.assumed === true;
  }

  /** Adds or updates a node. */
  setNode(node: Node): void {
    const name = node.metadata.name ?? "";
    const known = this.#nodes.get(name);
    const info = known?.withNode(node) ?? NodeInfo.of(node, this.#strays.get(name));
    this.#strays.delete(name);
    if (known === undefined || zoneKeyOf(known.node) !== zoneKeyOf(node)) {
      this.#orderIsStale = true;
      this.#snapshot = undefined;
    }
    this.#countImages(known, info);
    this.#put(info);
  }

  removeNode(name: string): void {
    const known = this.#nodes.get(name);
    if (known === undefined) return;
    this.#nodes.delete(name);
    this.#countImages(known, undefined);
    if (known.pods.length > 0) this.#strays.set(name, [...known.pods]);
    this.#orderIsStale = true;
    this.#snapshot = undefined;
  }

  /** Adds a pod to its node before the API server has bound it. The pod must not be in the cache. */
  assume(info: PodInfo, nodeName: string): void {
    if (this.#pods.has(info.uid)) {
      throw new Error(
        `pod ${info.uid} (${info.namespace}/${info.name}) is in the cache, so can't be assumed`,
      );
    }
    this.#place({ info, nodeName, assumed: true });
  }

  /** Undoes assume(). Does nothing for a pod that was bound or removed in the meantime. */
  forget(uid: string): void {
    if (this.isAssumed(uid)) this.#take(uid);
  }

  /** Adds or updates a bound pod; confirms an assumed one. */
  setPod(info: PodInfo, nodeName: string): void {
    this.#take(info.uid);
    this.#place({ info, nodeName, assumed: false });
  }

  removePod(uid: string): void {
    this.#take(uid);
  }

  #place(pod: PlacedPod): void {
    this.#pods.set(pod.info.uid, pod);
    if (pod.assumed) this.#assumed++;
    if (hasAffinity(pod.info)) this.#podsWithAffinity++;
    const node = this.#nodes.get(pod.nodeName);
    if (node) {
      this.#put(node.withPod(pod.info));
      return;
    }
    const strays = this.#strays.get(pod.nodeName);
    if (strays) strays.push(pod.info);
    else this.#strays.set(pod.nodeName, [pod.info]);
  }

  #take(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    if (pod.assumed) this.#assumed--;
    if (hasAffinity(pod.info)) this.#podsWithAffinity--;
    const node = this.#nodes.get(pod.nodeName);
    if (node) {
      this.#put(node.withoutPod(uid));
      return;
    }
    const rest = (this.#strays.get(pod.nodeName) ?? []).filter((info) => info.uid !== uid);
    if (rest.length > 0) this.#strays.set(pod.nodeName, rest);
    else this.#strays.delete(pod.nodeName);
  }

  #put(info: NodeInfo): void {
    this.#nodes.set(info.name, info);
    if (this.#orderIsStale) return;
    if (this.#snapshot !== undefined) {
      this.#list = this.#list.slice();
      this.#snapshot = undefined;
    }
    const position = this.#positions.get(info.name);
    if (position !== undefined) this.#list[position] = info;
  }

  #reorder(): void {
    this.#list = inZoneTurns(this.#nodes.values(), ({ node }) => zoneKeyOf(node));
    this.#positions = new Map(this.#list.map(({ name }, position) => [name, position]));
    this.#orderIsStale = false;
  }

  #countImages(before: NodeInfo | undefined, after: NodeInfo | undefined): void {
    for (const name of before?.images.keys() ?? []) {
      const image = this.#images.get(name);
      if (image && --image.nodes === 0) this.#images.delete(name);
    }
    for (const [name, sizeBytes] of after?.images ?? []) {
      const image = this.#images.get(name);
      if (image) {
        image.nodes++;
        image.sizeBytes = sizeBytes;
      } else {
        this.#images.set(name, { sizeBytes, nodes: 1 });
      }
    }
  }
}
