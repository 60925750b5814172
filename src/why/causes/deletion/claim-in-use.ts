import { type PersistentVolumeClaim, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { claimNames } from "../../facts/claims.ts";
import { hasEnded } from "../../facts/containers.ts";

export const claimInUse = cause<PersistentVolumeClaim>({
  name: "claim-in-use",
  layer: "deletion",
  group: "deletion",
  of: [persistentVolumeClaims],
  find({ metadata }, view) {
    const { name = "", namespace, deletionTimestamp } = metadata;
    if (!deletionTimestamp || !(metadata.finalizers ?? []).includes("kubernetes.io/pvc-protection"))
      return undefined;
    const users = (view.list(pods, { namespace }) ?? [])
      .filter((pod) => claimNames(pod).includes(name) && !hasEnded(pod))
      .map((pod) => `pod/${pod.metadata.name}`);
    if (users.length === 0) return undefined;
    return {
      sentence: `it is being deleted, and stays while ${names(users)} ${users.length === 1 ? "uses" : "use"} it (finalizer kubernetes.io/pvc-protection)`,
      since: deletionTimestamp,
      fix: users.slice(0, 2).map((user) => `kubectl delete ${user}`),
    };
  },
});
