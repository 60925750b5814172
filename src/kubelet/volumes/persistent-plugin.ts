/** Upstream: pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go, pkg/volume/{local,hostpath,nfs}. */
import { mkdir, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  type Volume,
} from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import type { Directories } from "../state/directories.ts";
import { ensureHostPath } from "./host-path.ts";
import type { Mounter } from "./mounter.ts";
import { ensureVolumeOwnership } from "./volume-ownership.ts";
import {
  type MountedVolume,
  type VolumePlugin,
  type VolumeRequest,
  VolumeSetUpError,
} from "./volume-plugin.ts";

/** A persistent volume that a pod uses by its claim. */
export interface PersistentRequest extends VolumeRequest {
  readonly persistentVolume: PersistentVolume;
  readonly readOnly: boolean;
}

export interface PersistentPluginOptions {
  readonly client: Client;
  readonly mounter: Mounter;
  readonly directories: Directories;
  /** Sets up volumes of CSI drivers. */
  setUpCsi(request: PersistentRequest): Promise<MountedVolume>;
}

/** Volumes that a pod uses by a claim, its own or one made for it. */
export function persistentPlugin(options: PersistentPluginOptions): VolumePlugin {
  return {
    handles: ({ persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim !== undefined || ephemeral !== undefined,
    async setUp(request) {
      const { pod, volume } = request;
      const claim = await boundClaim(pod, volume, options.client);
      const name = claim.spec.volumeName ?? "";
      const persistentVolume = await options.client.get(persistentVolumes, { name });
      const readOnly = volume.persistentVolumeClaim?.readOnly ?? false;
      try {
        const mounted = await setUp({ ...request, persistentVolume, readOnly }, options);
        return { ...mounted, specName: name };
      } catch (error) {
        if (error instanceof VolumeSetUpError) throw error;
        const { message } = error as Error;
        throw new VolumeSetUpError(`MountVolume.SetUp failed for volume "${name}" : ${message}`, {
          cause: error,
        });
      }
    },
  };
}

async function boundClaim(
  pod: Pod,
  volume: Volume,
  client: Client,
): Promise<PersistentVolumeClaim> {
  const namespace = pod.metadata.namespace ?? "";
  const name = volume.persistentVolumeClaim?.claimName ?? `${pod.metadata.name}-${volume.name}`;
  const fail = (why: string) =>
    new VolumeSetUpError(
      `Unable to attach or mount volumes: unmounted volumes=[${volume.name}], unattached volumes=[], failed to process volumes=[${volume.name}]: error processing PVC ${namespace}/${name}: ${why}`,
    );
  let claim: PersistentVolumeClaim;
  try {
    claim = await client.get(persistentVolumeClaims, { namespace, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw fail(`failed to fetch PVC from API server: ${(error as Error).message}`);
  }
  if (volume.ephemeral && !isOwner(claim, pod)) {
    throw fail(
      `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
    );
  }
  if (claim.metadata.deletionTimestamp !== undefined) throw fail("PVC is being deleted");
  if (claim.status?.phase !== "Bound" || !claim.spec.volumeName) throw fail("PVC is not bound");
  return claim;
}

function isOwner(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid,
  );
}

async function setUp(
  request: PersistentRequest,
  options: PersistentPluginOptions,
): Promise<MountedVolume> {
  const { spec } = request.persistentVolume;
  if (spec.csi) return options.setUpCsi(request);
  if (spec.hostPath) {
    const path = await ensureHostPath(spec.hostPath);
    return { path, readOnly: request.readOnly, follows: false };
  }
  if (spec.local && spec.volumeMode === "Block") return setUpLocalDevice(request, options);
  if (spec.local) return setUpLocal(request, options);
  if (spec.nfs) return setUpNfs(request, options);
  throw new Error("no volume plugin matched");
}

/** A link below the pod's directory leads to the device. */
async function setUpLocalDevice(
  { pod, persistentVolume, readOnly }: PersistentRequest,
  { directories }: PersistentPluginOptions,
): Promise<MountedVolume> {
  const device = persistentVolume.spec.local?.path ?? "";
  await ensureHostPath({ path: device, type: "BlockDevice" });
  const name = persistentVolume.metadata.name ?? "";
  const base = join(directories.pod(pod.metadata.uid ?? ""), "volumeDevices");
  const link = join(base, "kubernetes.io~local-volume", name);
  await mkdir(dirname(link), { recursive: true, mode: 0o750 });
  await rm(link, { force: true });
  await symlink(device, link);
  return { path: link, device: true, readOnly, follows: false };
}

async function setUpLocal(
  { pod, persistentVolume, readOnly }: PersistentRequest,
  { mounter, directories }: PersistentPluginOptions,
): Promise<MountedVolume> {
  const { local, mountOptions = [] } = persistentVolume.spec;
  const source = local?.path ?? "";
  if (source.split("/").includes("..")) {
    throw new Error(`invalid path: ${source} must not contain '..'`);
  }
  const uid = pod.metadata.uid ?? "";
  const name = persistentVolume.metadata.name ?? "";
  const target = directories.volume(uid, "kubernetes.io/local-volume", name);
  if (!(await mounter.isMountPoint(target))) {
    await stat(source).catch((cause: unknown) => {
      throw new Error(`path "${source}" does not exist`, { cause });
    });
    await mkdir(target, { recursive: true, mode: 0o750 });
    const options = ["bind", ...(readOnly ? ["ro"] : []), ...mountOptions];
    await mounter.mount({ source, target, options });
  }
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  if (fsGroup !== undefined && !readOnly) {
    const onRootMismatch = fsGroupChangePolicy === "OnRootMismatch";
    await ensureVolumeOwnership(target, { fsGroup, readOnly, onRootMismatch });
  }
  return { path: target, readOnly, follows: false };
}

async function setUpNfs(
  { pod, persistentVolume, readOnly }: PersistentRequest,
  { mounter, directories }: PersistentPluginOptions,
): Promise<MountedVolume> {
  const { nfs, mountOptions = [] } = persistentVolume.spec;
  const name = persistentVolume.metadata.name ?? "";
  const target = directories.volume(pod.metadata.uid ?? "", "kubernetes.io/nfs", name);
  const only = readOnly || (nfs?.readOnly ?? false);
  await mkdir(target, { recursive: true, mode: 0o750 });
  if (!(await mounter.isMountPoint(target))) {
    const source = `${nfs?.server}:${nfs?.path}`;
    const options = [...(only ? ["ro"] : []), ...mountOptions];
    await mounter.mount({ source, target, type: "nfs", options });
  }
  return { path: target, readOnly: only, follows: false };
}
