import { type DaemonSet, daemonSets } from "#/api/apps/v1.ts";
import { nodes, type PodSpec } from "#/api/core/v1.ts";
import { cause, type Found } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { candidateNodes, hardTaint, taintText } from "../../facts/candidate-nodes.ts";

export const daemonSetNoNode = cause<DaemonSet>({
  name: "daemonset-no-node",
  layer: "scheduling",
  of: [daemonSets],
  find({ spec, status, metadata }, view) {
    if (!status || status.desiredNumberScheduled > 0 || metadata.deletionTimestamp)
      return undefined;
    if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined;
    const all = view.list(nodes);
    if (!all) return undefined;
    const selector = spec?.template.spec.nodeSelector ?? {};
    const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
    const tainted = spec && taintedNode(spec.template.spec ?? {}, view);
    if (tainted) return tainted;
    const why =
      labels.length > 0
        ? `its nodeSelector ${labels.join(",")}`
        : "its node affinity and tolerations";
    return {
      sentence:
        all.length === 0
          ? "the cluster has no nodes, so it has no Pods"
          : `no node fits ${why}, so it has no Pods (0 desired)`,
      evidence: [`${all.length} nodes, desiredNumberScheduled 0`],
      fix:
        labels.length > 0
          ? [`kubectl label node ${all[0]?.metadata.name ?? "NODE"} ${labels[0]}`]
          : ["kubectl describe nodes"],
    };
  },
});

/** What keeps its Pods away from nodes that its selector allows. */
function taintedNode(spec: PodSpec, view: View): Found | undefined {
  const tainted = (candidateNodes(spec, view) ?? []).flatMap((node) => {
    const taint = hardTaint(node, spec);
    return taint ? [{ node: node.metadata.name ?? "", taint: taintText(taint) }] : [];
  });
  const [first] = tainted;
  if (!first) return undefined;
  return {
    sentence: `its Pods do not tolerate the taint ${first.taint} of node ${names(tainted.map(({ node }) => node))}, so it has no Pods (0 desired)`,
    evidence: tainted.map(({ node, taint }) => `node/${node} has the taint ${taint}`),
    fix: [`kubectl why node/${first.node}`, "# add a toleration to its template, if that is meant"],
  };
}
