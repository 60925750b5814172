import type { PersistentVolume } from "#/api/core/v1.ts";
import { roundResourceList } from "../pod-spec/resource-list-defaults.ts";

/** Upstream: pkg/apis/core/v1/defaults.go, zz_generated.defaults.go. */
export function setPersistentVolumeDefaults(object: PersistentVolume): void {
  object.status ??= {};
  object.status.phase ||= "Pending";
  const { spec } = object;
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  roundResourceList(spec.capacity);
  const { hostPath, rbd, iscsi, azureDisk, scaleIO } = spec;
  if (hostPath) hostPath.type ??= "";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= "Shared";
  }
  if (scaleIO) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
}
