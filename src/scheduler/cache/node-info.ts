import type { Node, Taint } from "#/api/core/v1.ts";
import type { Labels } from "#/machinery/meta/labels.ts";
import { parseResourceList } from "#/machinery/values/resource-list.ts";
import type { HostPort } from "./host-ports.ts";
import { hasAffinity, type PodInfo } from "./pod-info.ts";
import { addResources, noResources, type Resources, toResources } from "./resources.ts";

/** The part of a node's state that depends on its pods. */
interface Occupancy {
  readonly pods: readonly PodInfo[];
  readonly podsWithAffinity: readonly PodInfo[];
  readonly podsWithRequiredAntiAffinity: readonly PodInfo[];
  readonly requested: Resources;
  readonly nonZeroMilliCPU: number;
  readonly nonZeroMemory: number;
  readonly ports: readonly HostPort[];
}

const nobody: readonly PodInfo[] = [];
const noTaints: readonly Taint[] = [];
const empty: Occupancy = {
  pods: nobody,
  podsWithAffinity: nobody,
  podsWithRequiredAntiAffinity: nobody,
  requested: noResources,
  nonZeroMilliCPU: 0,
  nonZeroMemory: 0,
  ports: [],
};

/**
 * A node and its pods, added up. Immutable: every change makes a new one, so that a snapshot of the cluster is a
 * list of these, and a dry run needs no undo.
 *
 * Upstream: pkg/scheduler/framework/types.go.
 */
export class NodeInfo implements Occupancy {
  readonly node: Node;
  readonly name: string;
  readonly labels: Labels;
  readonly allocatable: Resources;
  readonly allowedPods: number;
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  /** Sizes of the images on the node by each of their names. */
  readonly images: ReadonlyMap<string, number>;
  readonly declaredFeatures: ReadonlySet<string>;
  readonly pods: readonly PodInfo[];
  readonly podsWithAffinity: readonly PodInfo[];
  readonly podsWithRequiredAntiAffinity: readonly PodInfo[];
  readonly requested: Resources;
  readonly nonZeroMilliCPU: number;
  readonly nonZeroMemory: number;
  readonly ports: readonly HostPort[];

  private constructor(facts: NodeFacts, occupancy: Occupancy) {
    this.node = facts.node;
    this.name = facts.name;
    this.labels = facts.labels;
    this.allocatable = facts.allocatable;
    this.allowedPods = facts.allowedPods;
    this.unschedulable = facts.unschedulable;
    this.taints = facts.taints;
    this.images = facts.images;
    this.declaredFeatures = facts.declaredFeatures;
    this.pods = occupancy.pods;
    this.podsWithAffinity = occupancy.podsWithAffinity;
    this.podsWithRequiredAntiAffinity = occupancy.podsWithRequiredAntiAffinity;
    this.requested = occupancy.requested;
    this.nonZeroMilliCPU = occupancy.nonZeroMilliCPU;
    this.nonZeroMemory = occupancy.nonZeroMemory;
    this.ports = occupancy.ports;
  }

  /** A node with pods on it. */
  static of(node: Node, pods: readonly PodInfo[] = nobody): NodeInfo {
    const info = new NodeInfo(factsOf(node), empty);
    return pods.reduce((sum, pod) => sum.withPod(pod), info);
  }

  /** The same pods on the node as it is now. */
  withNode(node: Node): NodeInfo {
    return new NodeInfo(factsOf(node), this);
  }

  withPod(pod: PodInfo): NodeInfo {
    const affine = hasAffinity(pod);
    const anti = pod.affinity.requiredAnti.length > 0;
    return new NodeInfo(this, {
      pods: [...this.pods, pod],
      podsWithAffinity: affine ? [...this.podsWithAffinity, pod] : this.podsWithAffinity,
      podsWithRequiredAntiAffinity: anti
        ? [...this.podsWithRequiredAntiAffinity, pod]
        : this.podsWithRequiredAntiAffinity,
      requested: addResources(this.requested, pod.requests),
      nonZeroMilliCPU: this.nonZeroMilliCPU + pod.nonZeroMilliCPU,
      nonZeroMemory: this.nonZeroMemory + pod.nonZeroMemory,
      ports: pod.hostPorts.length === 0 ? this.ports : [...this.ports, ...pod.hostPorts],
    });
  }

  /** Without the pod of this UID, if it is there. */
  withoutPod(uid: string): NodeInfo {
    const pod = this.pods.find((one) => one.uid === uid);
    if (pod === undefined) return this;
    const rest = (pods: readonly PodInfo[]): readonly PodInfo[] =>
      pods.length === 0 ? pods : pods.filter((one) => one !== pod);
    const pods = rest(this.pods);
    return new NodeInfo(this, {
      pods,
      podsWithAffinity: rest(this.podsWithAffinity),
      podsWithRequiredAntiAffinity: rest(this.podsWithRequiredAntiAffinity),
      requested: addResources(this.requested, pod.requests, -1),
      nonZeroMilliCPU: this.nonZeroMilliCPU - pod.nonZeroMilliCPU,
      nonZeroMemory: this.nonZeroMemory - pod.nonZeroMemory,
      ports:
        pod.hostPorts.length === 0 ? this.ports : pods.flatMap(({ hostPorts }) => [...hostPorts]),
    });
  }
}

type NodeFacts = Omit<NodeInfo, keyof Occupancy | "withNode" | "withPod" | "withoutPod">;

function factsOf(node: Node): NodeFacts {
  const allocatable = parseResourceList(node.status?.allocatable);
  return {
    node,
    name: node.metadata.name ?? "",
    labels: node.metadata.labels ?? {},
    allocatable: toResources(allocatable),
    allowedPods: allocatable.get("pods")?.value() ?? 0,
    unschedulable: node.spec.unschedulable === true,
    taints: node.spec.taints ?? noTaints,
    images: imagesOf(node),
    declaredFeatures: new Set(node.status?.declaredFeatures),
  };
}

function imagesOf({ status }: Node): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { names = [], sizeBytes = 0 } of status?.images ?? []) {
    for (const name of names) sizes.set(name, sizeBytes);
  }
  return sizes;
}
