import { readFile } from "node:fs/promises";
import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import type { FsType } from "./volume-record.ts";

interface FileSystem {
  readonly minBytes: number;
  readonly mountOptions: readonly string[];
  /** Makes a file system that fills an image. */
  make(run: RunProgram, image: string): Promise<void>;
  /** Makes the file system of an image that is not mounted as large as the image; undefined if only mounted ones grow. */
  growUnmounted?(run: RunProgram, image: string): Promise<void>;
  growMounted(
    run: RunProgram,
    mounted: { readonly device: string; readonly target: string },
  ): Promise<void>;
}

/** The file systems of volumes. Blocks that Pods free are given back to the pool ("discard"). */
export const fileSystems: Readonly<Record<FsType, FileSystem>> = {
  ext4: {
    minBytes: 16 << 20,
    mountOptions: ["discard"],
    async make(run, image) {
      const lazily = "lazy_itable_init=1,lazy_journal_init=1,nodiscard";
      await run("mkfs.ext4", ["-q", "-F", "-m", "0", "-E", lazily, "--", image]);
    },
    async growUnmounted(run, image) {
      await run("e2fsck", ["-f", "-p", "--", image]).catch(unlessCorrected);
      await run("resize2fs", [image]);
    },
    async growMounted(run, { device }) {
      await run("resize2fs", [device]);
    },
  },
  xfs: {
    minBytes: 300 << 20,
    // A snapshot has the UUID of its volume, and both may be mounted.
    mountOptions: ["discard", "nouuid"],
    async make(run, image) {
      await run("mkfs.xfs", ["-q", "-f", "--", image]);
    },
    async growMounted(run, { target }) {
      await run("xfs_growfs", ["-d", target]);
    },
  },
};

/** CAP_SYS_RESOURCE, in the mask of capabilities of a process. */
const sysResource = 1n << 24n;

/** The file systems that this machine can make, the best one first: a mounted one should be able to grow. */
export async function findFileSystems(
  run: RunProgram,
  readStatus: () => Promise<string> = () => readFile("/proc/self/status", "utf8"),
): Promise<FsType[]> {
  const [, mask = "0"] = /^CapEff:\t([0-9a-f]+)$/m.exec(await readStatus()) ?? [];
  const growsExt4 = (BigInt(`0x${mask}`) & sysResource) !== 0n;
  const order: readonly FsType[] = growsExt4 ? ["ext4", "xfs"] : ["xfs", "ext4"];
  const works = await Promise.all(
    order.map((type) =>
      run(`mkfs.${type}`, ["-V"]).then(
        () => true,
        () => false,
      ),
    ),
  );
  return order.filter((_type, index) => works[index]);
}

/** The exit status of a check that has corrected errors. */
const corrected = 1;

function unlessCorrected(error: unknown): void {
  if (error instanceof ProgramError && error.exitCode === corrected) return;
  throw error;
}
