import type { Resource } from "#/api/base/resource.ts";
import { persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import { deviceClasses, resourceClaims, resourceSlices } from "#/api/resource/v1.ts";
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
} from "#/api/storage/v1.ts";
import type { EventResource } from "./framework/cluster-event.ts";
import type { Plugin } from "./framework/plugin.ts";

/** Resources besides nodes and pods whose changes may make a pod schedulable. */
const resources: ReadonlyMap<EventResource, Resource<unknown>> = new Map<
  EventResource,
  Resource<unknown>
>([
  ["PersistentVolume", persistentVolumes],
  ["PersistentVolumeClaim", persistentVolumeClaims],
  ["storage.k8s.io/CSINode", csiNodes],
  ["storage.k8s.io/CSIDriver", csiDrivers],
  ["storage.k8s.io/VolumeAttachment", volumeAttachments],
  ["storage.k8s.io/CSIStorageCapacity", csiStorageCapacities],
  ["storage.k8s.io/StorageClass", storageClasses],
  ["resource.k8s.io/ResourceClaim", resourceClaims],
  ["resource.k8s.io/ResourceSlice", resourceSlices],
  ["resource.k8s.io/DeviceClass", deviceClasses],
]);

/** The resources that some plugin registered for. */
export function watchedResources(
  plugins: readonly Plugin[],
): ReadonlyMap<EventResource, Resource<unknown>> {
  const wanted = new Set(
    plugins.flatMap(({ requeueOn = [] }) => requeueOn).map((one) => one.resource),
  );
  return new Map([...resources].filter(([name]) => wanted.has(name)));
}
