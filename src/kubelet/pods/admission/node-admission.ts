/** Upstream: pkg/kubelet/lifecycle/predicate.go, pkg/scheduler/scheduler.go (AdmissionCheck). Pure. */
import type { Node, Pod } from "#/api/core/v1.ts";
import { compileRequiredNodeAffinity } from "#/machinery/pods/node-affinity.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { findUntoleratedTaint } from "#/machinery/pods/tolerations.ts";
import {
  addResources,
  parseResourceList,
  type ResourceList,
} from "#/machinery/values/resource-list.ts";
import type { Admission } from "../../state/pod-services.ts";
import { isStaticPod } from "../../state/static-pods.ts";

/** Whether a node has room for a pod and suits it, beside the others that it runs. */
export function admitToNode(pod: Pod, node: Node, others: readonly Pod[]): Admission {
  return (
    checkOs(pod, node) ??
    checkGroups(pod, node) ??
    checkResources(pod, node, others) ??
    checkAffinity(pod, node) ??
    checkPorts(pod, others) ??
    checkTaints(pod, node) ?? { admitted: true }
  );
}

type Refusal = Extract<Admission, { admitted: false }> | undefined;

function refuse(reason: string, message: string): Refusal {
  return { admitted: false, reason, message };
}

function failedPredicate(name: string, message: string): Refusal {
  return refuse(name, `Predicate ${name} failed: ${message}`);
}

function checkOs(pod: Pod, { metadata }: Node): Refusal {
  const desired = pod.metadata.labels?.["kubernetes.io/os"];
  if (desired !== undefined && desired !== (metadata.labels?.["kubernetes.io/os"] ?? "linux")) {
    return refuse(
      "PodOSSelectorNodeLabelDoesNotMatch",
      "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    );
  }
  if (pod.spec.os === undefined || pod.spec.os.name === "linux") return undefined;
  return refuse("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS");
}

function checkGroups({ spec }: Pod, { status }: Node): Refusal {
  if (spec.securityContext?.supplementalGroupsPolicy !== "Strict") return undefined;
  if (status?.features?.supplementalGroupsPolicy) return undefined;
  return refuse(
    "SupplementalGroupsPolicyNotSupported",
    "SupplementalGroupsPolicy=Strict is not supported in this node",
  );
}

function checkResources(pod: Pod, node: Node, others: readonly Pod[]): Refusal {
  const [first] = lacking(pod, node, others);
  return first && outOf(first);
}

/** The missing resources of a node for a pod beside the others; for a pod that may preempt others. */
export function resourceShortages(
  pod: Pod,
  node: Node,
  others: readonly Pod[],
): readonly { resource: string; amount: number }[] {
  return lacking(pod, node, others).map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
}

interface Lack {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

function lacking(pod: Pod, { status }: Node, others: readonly Pod[]): Lack[] {
  const allocatable = parseResourceList(status?.allocatable);
  const maxPods = allocatable.get("pods")?.value() ?? Number.POSITIVE_INFINITY;
  const lacks: Lack[] = [];
  if (others.length + 1 > maxPods) {
    lacks.push({ resource: "pods", requested: 1, used: others.length, capacity: maxPods });
  }
  const used: ResourceList = new Map();
  for (const other of others) addResources(used, podRequests(other, { useStatus: true }));
  for (const [resource, quantity] of podRequests(pod)) {
    if (quantity.isZero) continue;
    const capacity = allocatable.get(resource);
    // Extended resources that are unknown to the node may be the cluster's.
    if (capacity === undefined) continue;
    const inUse = used.get(resource);
    const needed = inUse?.add(quantity) ?? quantity;
    if (needed.compare(capacity) <= 0) continue;
    const unit = (one: typeof capacity): number =>
      resource === "cpu" ? one.milliValue() : one.value();
    lacks.push({
      resource,
      requested: unit(quantity),
      used: inUse ? unit(inUse) : 0,
      capacity: unit(capacity),
    });
  }
  return lacks;
}

function outOf({ resource, requested, used, capacity }: Lack): Refusal {
  return refuse(
    `OutOf${resource}`,
    `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  );
}

function checkAffinity(pod: Pod, node: Node): Refusal {
  if (compileRequiredNodeAffinity(pod.spec).matches(node)) return undefined;
  return failedPredicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
}

function checkPorts(pod: Pod, others: readonly Pod[]): Refusal {
  const taken = others.flatMap(hostPorts);
  const clash = hostPorts(pod).some((port) => taken.some((other) => conflicts(port, other)));
  if (!clash) return undefined;
  return failedPredicate("NodePorts", "node(s) didn't have free ports for the requested pod ports");
}

interface HostPort {
  readonly protocol: string;
  readonly port: number;
  readonly ip: string;
}

function hostPorts({ spec }: Pod): HostPort[] {
  const containers = [
    ...spec.containers,
    ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
  ];
  return containers.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort)
      .map(({ protocol = "TCP", hostPort = 0, hostIP = "" }) => ({
        protocol,
        port: hostPort,
        ip: hostIP || "0.0.0.0",
      })),
  );
}

function conflicts(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === "0.0.0.0" || b.ip === "0.0.0.0";
}

function checkTaints(pod: Pod, { spec }: Node): Refusal {
  if (isStaticPod(pod)) return undefined;
  const taints = (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  if (findUntoleratedTaint(taints, pod.spec.tolerations ?? []) === undefined) return undefined;
  return failedPredicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
}
