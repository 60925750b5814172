import type { MountEntry, Mounter } from "#/std/mounts/mounter.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { LoopDevices } from "../pool/loop-devices.ts";
import { isBelow, pathInFileSystem } from "../pool/path-in-file-system.ts";

interface Machine {
  readonly run: RunProgram;
  readonly mounter: Mounter;
}

/** Undoes what a process that was killed may have left: a file system that nothing can write to. */
export async function thawVolumes(root: string, machine: Machine): Promise<void> {
  const { mounts } = await usedVolumes(root, machine);
  const devices = new Map(mounts.map(({ source, mountPoint }) => [source, mountPoint]));
  for (const mountPoint of devices.values()) {
    // It fails if the file system is not frozen.
    await machine.run("fsfreeze", ["--unfreeze", mountPoint]).catch(() => undefined);
  }
}

/** Unmounts all volumes below a folder, wherever they are mounted, and detaches their devices. */
export async function releaseVolumes(root: string, machine: Machine): Promise<void> {
  const { mounts } = await usedVolumes(root, machine);
  for (const { mountPoint } of mounts.toReversed()) await machine.mounter.unmount(mountPoint);
  await new LoopDevices(machine.run).detach((file) => isBelow(file, root));
}

async function usedVolumes(root: string, { run, mounter }: Machine) {
  const devices = await new LoopDevices(run).list();
  const own = devices.filter(({ file }) => isBelow(file, root)).map(({ path }) => path);
  const mounts = await mounter.list();
  const folder = pathInFileSystem(root, mounts);
  return { mounts: mounts.filter((mount) => isOwn(mount, own, folder)) };
}

/** Whether a mount is a volume: the mount of an image, of a device, or of a folder. */
function isOwn({ source, root }: MountEntry, devices: readonly string[], folder: string): boolean {
  return devices.includes(source) || devices.includes(`/dev${root}`) || isBelow(root, folder);
}
