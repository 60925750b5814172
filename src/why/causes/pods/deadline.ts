import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

export const podDeadline = cause<Pod>({
  name: "pod-deadline",
  layer: "containers",
  group: "pod failed",
  of: [pods],
  find({ status, spec }) {
    if (status?.phase !== "Failed" || status.reason !== "DeadlineExceeded") return undefined;
    return {
      sentence: `it ran longer than its activeDeadlineSeconds of ${spec.activeDeadlineSeconds ?? "its owner"} s and was ended (DeadlineExceeded)`,
      fix: ["# raise activeDeadlineSeconds, or find out why its work takes that long"],
    };
  },
});
