/** Upstream: pkg/volume/hostpath/host_path.go, pkg/volume/plugins.go. */
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { normalize } from "node:path";
import type { PersistentVolume, PersistentVolumeClaim } from "#/api/core/v1.ts";
import type { StorageClass } from "#/api/storage/v1.ts";
import { driverInsteadOf } from "../base/migrated-plugins.ts";
import { provisionedBy } from "./plan-volume.ts";

/** The plugin that provisions folders of the host. */
export const hostPathPlugin = "kubernetes.io/host-path";
/** Annotation with the driver that replaces a plugin. */
const migratedTo = "pv.kubernetes.io/migrated-to";

const isInTree = (name: string): boolean => name.startsWith("kubernetes.io/");

/**
 * The provisioner of a class: the built-in plugin, or the name of a driver. Throws if there is
 * none.
 */
export function provisionerOf({ provisioner }: StorageClass): { external: string } | "hostPath" {
  if (provisioner === hostPathPlugin) return "hostPath";
  const external = driverInsteadOf(provisioner) ?? provisioner;
  if (!isInTree(external)) return { external };
  if (external === "kubernetes.io/nfs") throw new Error("no provisionable volume plugin matched");
  throw new Error(`no volume plugin matched name: ${external}`);
}

/** The deleter of a volume: the built-in plugin or an external one. Throws if there is none. */
export function deleterOf({ metadata, spec }: PersistentVolume): "external" | "hostPath" {
  const { annotations = {}, name } = metadata;
  const maker = annotations[provisionedBy];
  if (maker === hostPathPlugin) return "hostPath";
  if (maker && !isInTree(maker)) return "external";
  if (maker) throw new Error(`no volume plugin matched name: ${maker}`);
  if (annotations[migratedTo] !== undefined || spec.csi) return "external";
  if (spec.hostPath) return "hostPath";
  const problem = spec.nfs ? "no deletable volume plugin matched" : "no volume plugin matched";
  throw new Error(`error getting deleter volume plugin for volume "${name}": ${problem}`);
}

/** Whether a driver that replaces a plugin manages a volume. */
export const isMigrated = ({ metadata }: PersistentVolume): boolean =>
  Boolean(metadata.annotations?.[migratedTo]);

/** Creates a folder for a claim, and returns its volume. */
export async function makeHostPath(
  { metadata, spec }: PersistentVolumeClaim,
  { metadata: { name: storageClassName = "" }, reclaimPolicy = "Delete" }: StorageClass,
): Promise<PersistentVolume> {
  if (spec.volumeMode === "Block") {
    throw new Error(`${hostPathPlugin} does not support block volume provisioning`);
  }
  const path = `/tmp/hostpath_pv/${randomUUID()}`;
  await mkdir(path, { recursive: true, mode: 0o750 });
  return {
    metadata: {
      name: `pvc-${metadata.uid}`,
      annotations: {
        "kubernetes.io/createdby": "hostpath-dynamic-provisioner",
        "pv.kubernetes.io/bound-by-controller": "yes",
        [provisionedBy]: hostPathPlugin,
      },
    },
    spec: {
      persistentVolumeReclaimPolicy: reclaimPolicy,
      accessModes: spec.accessModes ?? ["ReadWriteOnce"],
      capacity: { storage: spec.resources?.requests?.["storage"] ?? "0" },
      hostPath: { path },
      storageClassName,
    },
  };
}

/** Removes the folder of a volume. */
export async function removeHostPath({ spec }: PersistentVolume): Promise<void> {
  const path = spec.hostPath?.path ?? "";
  if (!/^\/tmp\/./.test(normalize(path))) {
    throw new Error(`host_path deleter only supports /tmp/.+ but received provided ${path}`);
  }
  await rm(path, { recursive: true, force: true });
}
