import { chmod, mkdir } from "node:fs/promises";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Backend } from "./backend.ts";
import { pathInFileSystem } from "./path-in-file-system.ts";

interface DirectoryBackendOptions {
  readonly run: RunProgram;
  readonly mounter: Mounter;
}

/**
 * Copies the content of `$1` into `$2` without following links: a Pod may replace a folder with a link while it is read.
 * The mount that refuses links is in a namespace that ends with the shell.
 */
const copyScript = `set -e
mount --bind -- "$1" "$1"
mount -o remount,bind,nosymfollow -- "$1"
cp --archive --reflink=auto --sparse=always -- "$1/." "$2"
sync --file-system "$2"`;

/** A volume is a folder, whose size nothing enforces. */
export function directoryBackend({ run, mounter }: DirectoryBackendOptions): Backend {
  const noDevice = () =>
    Promise.reject(new GrpcError("INVALID_ARGUMENT", "volumes in folders are no block devices"));
  return {
    name: "directory",
    enforcesSizes: false,
    hasBlockDevices: false,
    async create(path) {
      await mkdir(path);
      // The mode is not subject to the mask of the process.
      await chmod(path, 0o777);
    },
    async copy(from, to) {
      await mkdir(to);
      const unshare = ["--mount", "--propagation", "private", "sh", "-c", copyScript];
      await run("unshare", [...unshare, "copy", from, to]);
    },
    resize: async () => undefined,
    async mount(path, { capacityBytes }, { target, flags }) {
      if (!(await mounter.isMountPoint(target))) {
        await mounter.mount({ source: path, target, options: ["bind", ...flags] });
      }
      return capacityBytes;
    },
    growMounted: async (_path, { capacityBytes }) => capacityBytes,
    async mountsOf(path) {
      const mounts = await mounter.list();
      const root = pathInFileSystem(path, mounts);
      return mounts.filter((mount) => mount.root === root).map(({ mountPoint }) => mountPoint);
    },
    attach: noDevice,
    detach: async () => undefined,
    release: async () => undefined,
    // Measuring would read each folder.
    usedBytes: async () => 0,
  };
}
