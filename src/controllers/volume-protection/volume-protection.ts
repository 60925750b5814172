/** Upstream: pkg/controller/volume/{pvcprotection,pvprotection,vacprotection}. */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "#/api/core/v1.ts";
import { type VolumeAttributesClass, volumeAttributesClasses } from "#/api/storage/v1.ts";
import { watch } from "#/controller/controller.ts";
import { isFinished } from "../pods/pod-state.ts";
import { protection } from "./protect.ts";

/** The claims of a pod, of its ephemeral volumes too. */
function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [volume.persistentVolumeClaim.claimName];
    return volume.ephemeral ? [`${metadata.name}-${volume.name}`] : [];
  });
}

/** Keeps claims that pods use; a pod that is not scheduled, or has ended, uses none. */
export const claimProtectionController = protection<PersistentVolumeClaim>({
  name: "persistentvolumeclaim-protection-controller",
  resource: persistentVolumeClaims,
  finalizer: "kubernetes.io/pvc-protection",
  reads: [],
  watches: [
    watch(pods, (pod) => claimsOf(pod).map((claim) => `${pod.metadata.namespace}/${claim}`)),
  ],
  isUsed: ({ metadata }, { informers }) =>
    informers
      .informer(pods)
      .store.listNamespace(metadata.namespace ?? "")
      .some(
        (pod) =>
          pod.spec?.nodeName && !isFinished(pod) && claimsOf(pod).includes(metadata.name ?? ""),
      ),
});

/** Keeps volumes that are bound to a claim. */
export const volumeProtectionController = protection<PersistentVolume>({
  name: "persistentvolume-protection-controller",
  resource: persistentVolumes,
  finalizer: "kubernetes.io/pv-protection",
  reads: [],
  watches: [],
  isUsed: ({ status }) => status?.phase === "Bound",
});

const classesOf = ({ spec, status }: PersistentVolumeClaim): string[] =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined);
const classOf = ({ spec }: PersistentVolume): string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];

/** Keeps classes of attributes that claims or volumes name. */
export const attributesClassProtectionController = protection<VolumeAttributesClass>({
  name: "volumeattributesclass-protection-controller",
  resource: volumeAttributesClasses,
  finalizer: "kubernetes.io/vac-protection",
  reads: [],
  watches: [watch(persistentVolumeClaims, classesOf), watch(persistentVolumes, classOf)],
  isUsed({ metadata: { name = "" } }, { informers }) {
    const claims = informers.informer(persistentVolumeClaims).store.list();
    const volumes = informers.informer(persistentVolumes).store.list();
    return claims.flatMap(classesOf).includes(name) || volumes.flatMap(classOf).includes(name);
  },
});
