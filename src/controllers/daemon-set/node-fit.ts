/** Upstream: pkg/controller/daemon/util/daemonset_util.go, pkg/controller/daemon/daemon_controller.go. */
import type { DaemonSet } from "#/api/apps/v1.ts";
import type { Affinity, Node, Pod, PodSpec, Taint, Toleration } from "#/api/core/v1.ts";
import { compileRequiredNodeAffinity } from "#/machinery/pods/node-affinity.ts";
import { findUntoleratedTaint, sameToleration } from "#/machinery/pods/tolerations.ts";

/** Whether a node should run a Pod of a set, and whether a running one may continue. */
interface NodeFit {
  readonly runs: boolean;
  readonly keeps: boolean;
}

const no: NodeFit = { runs: false, keeps: false };

const always = [
  { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
] as const;
const onHostNetwork = {
  key: "node.kubernetes.io/network-unavailable",
  effect: "NoSchedule",
} as const;

/** The tolerations of a set's Pods: those of its template, and those for all node conditions. */
export function daemonTolerations(spec: PodSpec | undefined): Toleration[] {
  const added = [...always, ...(spec?.hostNetwork ? [onHostNetwork] : [])].map((one) => ({
    ...one,
    operator: "Exists" as const,
  }));
  const own = (spec?.tolerations ?? []).map(
    (one) => added.find((other) => sameToleration(one, other)) ?? one,
  );
  return [...own, ...added.filter((one) => !own.some((other) => sameToleration(one, other)))];
}

/** Computes for each node how a set's Pods fit. */
export function nodeFitOf({ spec }: DaemonSet): (node: Node) => NodeFit {
  const template = spec.template.spec;
  const tolerations = daemonTolerations(template);
  const affinity = compileRequiredNodeAffinity(template ?? {});
  const repels = (taints: readonly Taint[], ...effects: string[]): boolean =>
    findUntoleratedTaint(taints, tolerations, {
      filter: ({ effect }) => effects.includes(effect),
    }) !== undefined;
  return (node) => {
    const { nodeName } = template ?? {};
    if (nodeName && nodeName !== node.metadata.name) return no;
    if (!affinity.matches(node)) return no;
    const taints = node.spec?.taints ?? [];
    if (!repels(taints, "NoSchedule", "NoExecute")) return { runs: true, keeps: true };
    return { runs: false, keeps: !repels(taints, "NoExecute") };
  };
}

/** An affinity that binds a Pod to a node by name; replaces other required node terms. */
export function affinityToNode(affinity: Affinity | undefined, node: string): Affinity {
  const required = {
    nodeSelectorTerms: [
      { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] },
    ],
  };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: required,
    },
  };
}

/** The node of a Pod, or the one it is to be bound to. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const field = (required?.nodeSelectorTerms ?? [])
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return field?.values?.length === 1 ? field.values[0] : undefined;
}
