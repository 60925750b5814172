import type { PersistentVolumeClaimSpec, ProjectedVolumeSource, Volume } from "#/api/core/v1.ts";
import { pullPolicyFor, setFieldSelectorDefaults } from "../base/container-defaults.ts";
import { roundResourceList } from "../base/resource-list-defaults.ts";

type StorageSources = {
  readonly [Name in "hostPath" | "iscsi" | "rbd" | "azureDisk" | "scaleIO"]?:
    | Partial<Volume[Name]>
    | undefined;
};

/** Default mode of files from API objects: rw-r--r--. */
const defaultFileMode = 0o644;
const hourSeconds = 3600;

/**
 * Sets the defaults of a volume; a volume without a source is an emptyDir.
 *
 * Upstream: pkg/apis/core/v1/defaults.go, zz_generated.defaults.go.
 */
export function setVolumeDefaults(volume: Volume): void {
  if (!hasSource(volume)) volume.emptyDir = {};
  const { image, secret, configMap, downwardAPI, projected, ephemeral } = volume;
  if (image) image.pullPolicy ||= pullPolicyFor(image.reference ?? "");
  if (secret) secret.defaultMode ??= defaultFileMode;
  if (configMap) configMap.defaultMode ??= defaultFileMode;
  if (downwardAPI) {
    downwardAPI.defaultMode ??= defaultFileMode;
    for (const { fieldRef } of downwardAPI.items ?? []) {
      if (fieldRef) setFieldSelectorDefaults(fieldRef);
    }
  }
  if (projected) setProjectedDefaults(projected);
  if (ephemeral?.volumeClaimTemplate) setClaimSpecDefaults(ephemeral.volumeClaimTemplate.spec);
  setStorageDefaults(volume);
}

function hasSource(volume: Volume): boolean {
  for (const key in volume) {
    if (key !== "name" && volume[key as keyof Volume] !== undefined) return true;
  }
  return false;
}

function setProjectedDefaults(projected: ProjectedVolumeSource): void {
  projected.defaultMode ??= defaultFileMode;
  for (const { downwardAPI, serviceAccountToken } of projected.sources ?? []) {
    for (const { fieldRef } of downwardAPI?.items ?? []) {
      if (fieldRef) setFieldSelectorDefaults(fieldRef);
    }
    if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= hourSeconds;
  }
}

/** Sets the defaults of the spec of a persistent volume claim. */
export function setClaimSpecDefaults(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= "Filesystem";
  roundResourceList(spec.resources?.limits);
  roundResourceList(spec.resources?.requests);
}

/** Sets the defaults of a volume source, in a Pod or in a PersistentVolume. */
export function setStorageDefaults({
  hostPath,
  iscsi,
  rbd,
  azureDisk,
  scaleIO,
}: StorageSources): void {
  if (hostPath) hostPath.type ??= "";
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
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
