/** Upstream: pkg/controller/volume/{pvcprotection,pvprotection,vacprotection}. */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "#/api/core/v1.ts";
import { type VolumeAttributesClass, volumeAttributesClasses } from "#/api/storage/v1.ts";
import { watch } from "#/controller/controller.ts";
import { claimedVolumes } from "#/machinery/volumes/volume-claims.ts";
import { podsOfClaim } from "../pods/pod-indexes.ts";
import { isFinished } from "../pods/pod-state.ts";
import { protection } from "./protect.ts";

/** Keeps claims that Pods use; an unscheduled or ended Pod uses none. */
export const claimProtectionController = protection<PersistentVolumeClaim>({
  name: "persistentvolumeclaim-protection-controller",
  resource: persistentVolumeClaims,
  finalizer: "kubernetes.io/pvc-protection",
  reads: [],
  watches: [
    watch(pods, (pod) =>
      claimedVolumes(pod).map(({ claimName }) => `${pod.metadata.namespace}/${claimName}`),
    ),
  ],
  isUsed: ({ metadata }, { informers }) =>
    podsOfClaim(`${metadata.namespace}/${metadata.name}`, informers).some(
      (pod) => pod.spec?.nodeName && !isFinished(pod),
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

/** Keeps VolumeAttributesClasses that claims or volumes name. */
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
