import { chmod, rmdir, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import type { Backend, Mounting } from "./backend.ts";
import { fileSystems } from "./file-systems.ts";
import type { LoopDevices } from "./loop-devices.ts";
import type { Content } from "./volume-record.ts";

interface ImageBackendOptions {
  readonly run: RunProgram;
  readonly mounter: Mounter;
  readonly loops: LoopDevices;
}

/**
 * Copies an image: `$1` to `$2`. A file system that is mounted at `$3` does not change meanwhile; it is thawed by this shell
 * even if the program that started it is killed. A device `$4` writes its cache to the image before.
 */
const copyScript = `set -e
if [ -n "$4" ]; then sync "$4"; fi
if [ -n "$3" ]; then trap 'fsfreeze --unfreeze "$3"' EXIT; fsfreeze --freeze "$3"; fi
cp --reflink=auto --sparse=always -- "$1" "$2"
if [ -n "$3" ]; then fsfreeze --unfreeze "$3"; trap - EXIT; fi
sync "$2"`;

const blockBytes = 512;

/**
 * A volume is a sparse file with a file system of its own, or without one, for a block device. The kernel detaches the
 * loop device of a mount when it is unmounted.
 */
export function imageBackend({ run, mounter, loops }: ImageBackendOptions): Backend {
  /** The device of an image, and where it is mounted. */
  const useOf = async (path: string) => {
    const devices = (await loops.of(path)).map((one) => one.path);
    const mounts = (await mounter.list()).filter(
      ({ source, root }) => devices.includes(source) || devices.includes(`/dev${root}`),
    );
    const mountPoint = mounts.find(({ source }) => devices.includes(source))?.mountPoint;
    return { device: devices[0], mountPoint, all: mounts.map((mount) => mount.mountPoint) };
  };
  return {
    name: "image",
    enforcesSizes: true,
    hasBlockDevices: true,
    async create(path, { capacityBytes }) {
      await writeFile(path, "", { mode: 0o600 });
      await truncate(path, capacityBytes);
    },
    async copy(from, to) {
      const { device = "", mountPoint = "" } = await useOf(from);
      await run("sh", ["-c", copyScript, "copy", from, to, mountPoint, device]);
    },
    async resize(path, { capacityBytes }) {
      if ((await stat(path)).size < capacityBytes) await truncate(path, capacityBytes);
      for (const { path: device } of await loops.of(path)) await loops.resize(device);
    },
    async mount(path, content, { target, flags }) {
      const fileSystem = fileSystems[content.fsType];
      if (!(await mounter.isMountPoint(target))) {
        if (content.formattedBytes === 0) await fileSystem.make(run, path);
        else if (content.formattedBytes < content.capacityBytes) {
          await fileSystem.growUnmounted?.(run, path);
        }
        await mountImage(path, content, { target, flags });
      }
      if (content.formattedBytes === 0) await prepareRoot(target);
      else if (content.formattedBytes < content.capacityBytes && !fileSystem.growUnmounted) {
        await fileSystem.growMounted(run, { device: await deviceOf(path), target });
      }
      return content.capacityBytes;
    },
    async growMounted(path, content, target) {
      const device = await deviceOf(path);
      await loops.resize(device);
      try {
        await fileSystems[content.fsType].growMounted(run, { device, target });
      } catch (error) {
        if (!(error instanceof ProgramError) || !/Permission denied/.test(error.stderr))
          throw error;
        throw new GrpcError(
          "FAILED_PRECONDITION",
          `this machine does not allow a mounted ${content.fsType} to grow (CAP_SYS_RESOURCE is missing); the volume grows when no Pod uses it any more and the next one starts`,
          { cause: error },
        );
      }
      return content.capacityBytes;
    },
    mountsOf: async (path) => (await useOf(path)).all,
    attach: (path) => loops.attach(path),
    detach: (path) => loops.detach((file) => file === path),
    release: (path) => loops.detach((file) => file === path),
    usedBytes: async (path) => (await stat(path)).blocks * blockBytes,
  };

  async function mountImage(path: string, { fsType }: Content, { target, flags }: Mounting) {
    const options = ["loop", ...fileSystems[fsType].mountOptions, ...flags];
    await mounter.mount({ source: path, target, type: fsType, options });
  }

  async function deviceOf(path: string): Promise<string> {
    const { device } = await useOf(path);
    if (device === undefined) throw new Error(`${path} is not mounted`);
    return device;
  }
}

/** A new file system looks like an empty folder that every user may write to, as the one of an emptyDir. */
async function prepareRoot(target: string): Promise<void> {
  await rmdir(join(target, "lost+found")).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await chmod(target, 0o777);
}
