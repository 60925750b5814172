import { type DaemonSet, daemonSets } from "#/api/apps/v1.ts";
import { nodes } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

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
