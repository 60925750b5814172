import { type DaemonSet, daemonSets, type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { cause } from "../../base/cause.ts";

/** An update that waits for a person to delete Pods. */
export const updateOnDelete = cause<StatefulSet | DaemonSet>({
  name: "update-on-delete",
  layer: "controllers",
  of: [statefulSets, daemonSets],
  find({ spec, status }) {
    if (spec?.updateStrategy?.type !== "OnDelete") return undefined;
    const numbers = (status ?? {}) as { readonly [name: string]: unknown };
    const wanted = Number(numbers["replicas"] ?? numbers["desiredNumberScheduled"] ?? 0);
    const updated = Number(numbers["updatedReplicas"] ?? numbers["updatedNumberScheduled"] ?? 0);
    if (
      updated >= wanted ||
      (numbers["updateRevision"] === numbers["currentRevision"] && "updateRevision" in numbers)
    ) {
      return undefined;
    }
    return {
      sentence: `${wanted - updated} of ${wanted} Pods are of an old template: its update strategy is OnDelete, so each is replaced only when you delete it`,
      fix: ["# delete the old Pods one by one, or use the strategy RollingUpdate"],
    };
  },
});
