import { createHash } from "node:crypto";
import type { PersistentVolume, Pod, Volume } from "#/api/core/v1.ts";
import type { VolumeCapability } from "#/machinery/csi/csi-messages.ts";
import { accessMode } from "./csi-access-mode.ts";
import type { CsiDriver } from "./csi-drivers.ts";

/** A volume of a driver, persistent or a pod's own. */
export interface DesiredVolume {
  readonly pod: Pod;
  readonly driver: string;
  readonly handle: string;
  /** Its name in paths: the persistent volume's, or the pod's volume's. */
  readonly specName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly fsType: string;
  readonly mountOptions: readonly string[];
  readonly readOnly: boolean;
  readonly accessModes: readonly string[];
  readonly ephemeral: boolean;
  /** A device rather than a file system. */
  readonly block: boolean;
  readonly stageSecret?: { namespace?: string; name?: string } | undefined;
  readonly publishSecret?: { namespace?: string; name?: string } | undefined;
}

/** A volume that a pod has for itself. */
export function inlineVolume(pod: Pod, { name, csi }: Volume): DesiredVolume {
  const uid = pod.metadata.uid ?? "";
  const namespace = pod.metadata.namespace ?? "";
  const secret = csi?.nodePublishSecretRef?.name;
  return {
    pod,
    driver: csi?.driver ?? "",
    handle: `csi-${createHash("sha256").update(`${uid}${name}`).digest("hex")}`,
    specName: name,
    attributes: csi?.volumeAttributes ?? {},
    fsType: csi?.fsType ?? "",
    mountOptions: [],
    readOnly: csi?.readOnly ?? false,
    accessModes: ["ReadWriteOnce"],
    ephemeral: true,
    block: false,
    ...(secret && { publishSecret: { namespace, name: secret } }),
  };
}

/** A persistent volume that a pod uses. */
export function persistent(
  pod: Pod,
  { metadata, spec }: PersistentVolume,
  readOnly: boolean,
): DesiredVolume {
  const { csi } = spec;
  return {
    pod,
    driver: csi?.driver ?? "",
    handle: csi?.volumeHandle ?? "",
    specName: metadata.name ?? "",
    attributes: csi?.volumeAttributes ?? {},
    fsType: csi?.fsType ?? "",
    mountOptions: spec.mountOptions ?? [],
    readOnly: readOnly || (csi?.readOnly ?? false),
    accessModes: spec.accessModes ?? [],
    ephemeral: false,
    block: spec.volumeMode === "Block",
    stageSecret: csi?.nodeStageSecretRef,
    publishSecret: csi?.nodePublishSecretRef,
  };
}

/** The volume's capability, in the form of the CSI protocol. */
export function capability(desired: DesiredVolume, driver: CsiDriver): VolumeCapability {
  const { fsGroup } = desired.pod.spec.securityContext ?? {};
  const mountGroup = driver.capabilities.has("VOLUME_MOUNT_GROUP") ? fsGroup : undefined;
  const mode = accessMode(desired.accessModes, driver.capabilities.has("SINGLE_NODE_MULTI_WRITER"));
  if (desired.block) return { block: {}, accessMode: { mode } };
  return {
    mount: {
      fsType: desired.fsType,
      mountFlags: [...desired.mountOptions],
      ...(mountGroup !== undefined && { volumeMountGroup: String(mountGroup) }),
    },
    accessMode: { mode },
  };
}
