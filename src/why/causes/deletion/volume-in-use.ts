import { type PersistentVolume, persistentVolumes } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

export const volumeInUse = cause<PersistentVolume>({
  name: "volume-bound-to-claim",
  layer: "deletion",
  group: "deletion",
  of: [persistentVolumes],
  find({ metadata, spec, status }) {
    if (!metadata.deletionTimestamp || status?.phase !== "Bound") return undefined;
    const { namespace, name } = spec.claimRef ?? {};
    return {
      sentence: `it is being deleted, and stays while the claim ${namespace}/${name} is bound to it (finalizer kubernetes.io/pv-protection)`,
      since: metadata.deletionTimestamp,
      fix: [`kubectl -n ${namespace} delete pvc ${name}`],
    };
  },
});
