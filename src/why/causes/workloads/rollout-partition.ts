import { type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { cause } from "../../base/cause.ts";

export const rolloutPartition = cause<StatefulSet>({
  name: "rollout-partition",
  layer: "controllers",
  of: [statefulSets],
  find({ spec, status }) {
    const { partition = 0 } = spec?.updateStrategy?.rollingUpdate ?? {};
    const { replicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = status ?? {};
    if (partition === 0 || currentRevision === updateRevision || updatedReplicas >= replicas) {
      return undefined;
    }
    return {
      sentence: `its partition of ${partition} keeps Pods with lower ordinals at the old template (${updatedReplicas} of ${replicas} updated)`,
      severity: "notice",
      fix: ["# lower spec.updateStrategy.rollingUpdate.partition to go on"],
    };
  },
});
