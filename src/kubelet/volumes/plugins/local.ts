/** Upstream: pkg/volume/local/local.go. */
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Mounter } from "#/std/mounts/mounter.ts";
import { runFileTask } from "../../files/run-file-task.ts";
import type { Directories } from "../../state/directories.ts";
import { ensureVolumeOwnership } from "../volume-ownership.ts";
import type { MountedVolume, PersistentRequest, VolumePlugin } from "../volume-plugin.ts";
import { ensureHostPath } from "./host-path.ts";

interface LocalVolumeServices {
  readonly mounter: Mounter;
  readonly directories: Directories;
}

/** A directory or a device of this node as a PersistentVolume. */
export function local(services: LocalVolumeServices): VolumePlugin {
  return {
    source: "local",
    setUpPersistent: (request) =>
      request.persistentVolume.spec.volumeMode === "Block"
        ? setUpDevice(request, services)
        : setUpDirectory(request, services),
  };
}

/** A link below the pod's directory leads to the device. */
async function setUpDevice(
  { pod, persistentVolume, readOnly }: PersistentRequest,
  { directories }: LocalVolumeServices,
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

async function setUpDirectory(
  { pod, persistentVolume, readOnly, signal }: PersistentRequest,
  { mounter, directories }: LocalVolumeServices,
): Promise<MountedVolume> {
  const { local: source, mountOptions = [] } = persistentVolume.spec;
  const path = source?.path ?? "";
  if (path.split("/").includes("..")) {
    throw new Error(`invalid path: ${path} must not contain '..'`);
  }
  const uid = pod.metadata.uid ?? "";
  const name = persistentVolume.metadata.name ?? "";
  const target = directories.volume(uid, "kubernetes.io/local-volume", name);
  if (!(await mounter.isMountPoint(target))) {
    await runFileTask("checkExists", { path }, path);
    await mkdir(target, { recursive: true, mode: 0o750 });
    const options = ["bind", ...(readOnly ? ["ro"] : []), ...mountOptions];
    await mounter.mount({ source: path, target, options, signal });
  }
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  if (fsGroup !== undefined && !readOnly) {
    const onRootMismatch = fsGroupChangePolicy === "OnRootMismatch";
    await ensureVolumeOwnership(target, { fsGroup, readOnly, onRootMismatch });
  }
  return { path: target, readOnly, follows: false };
}
