import type { PersistentVolume } from "#/api/core/v1.ts";
import { roundResourceList } from "../pod-spec/base/resource-list-defaults.ts";
import { setStorageDefaults } from "../pod-spec/volumes/volume-defaults.ts";

/** Upstream: pkg/apis/core/v1/defaults.go, zz_generated.defaults.go. */
export function setPersistentVolumeDefaults(object: PersistentVolume): void {
  object.status ??= {};
  object.status.phase ||= "Pending";
  const { spec } = object;
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  roundResourceList(spec.capacity);
  setStorageDefaults(spec);
}
