import { type Pod, persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import { names } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { claimNames } from "../../facts/claims.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const volumePlace = schedulingCause({
  name: "volume-elsewhere",
  layer: "volumes",
  texts:
    /didn't match PersistentVolume's node affinity|volume node affinity conflict|no available volume zone/,
  explain(_match, pod, view) {
    const bound = boundVolumes(pod, view);
    return {
      sentence: `its volume ${names(bound.map(({ name }) => name)) || ""} can only be used on other nodes (zone or node affinity of the PersistentVolume) than those that would take the Pod`,
      evidence: bound.map(({ name, terms }) => `persistentvolume/${name} requires ${terms}`),
      fix: [
        "kubectl get nodes --show-labels",
        "# free a node where the volume is, or make a new volume",
      ],
    };
  },
});

function boundVolumes(pod: Pod, view: View): { name: string; terms: string }[] {
  const { namespace } = pod.metadata;
  return claimNames(pod).flatMap((claim) => {
    const { spec } = view.get(persistentVolumeClaims, { namespace, name: claim }) ?? {};
    const name = spec?.volumeName;
    const volume = name ? view.get(persistentVolumes, { name }) : undefined;
    const required = volume?.spec.nodeAffinity?.required;
    return name && required ? [{ name, terms: JSON.stringify(required.nodeSelectorTerms) }] : [];
  });
}
