import { access, mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Backend } from "./backend.ts";
import { directoryBackend } from "./directory-backend.ts";
import { imageBackend } from "./image-backend.ts";
import { LoopDevices } from "./loop-devices.ts";

interface OpenBackendsOptions {
  /** The folder of the volumes. */
  readonly root: string;
  readonly run: RunProgram;
  readonly mounter: Mounter;
  /** The name of a back-end, or "auto". */
  readonly wanted: string;
}

const log = logger("local-storage");

/** The back-ends that this machine has, the best one first, or the one that is wanted. Throws if it does not work. */
export async function openBackends(options: OpenBackendsOptions): Promise<Backend[]> {
  const { root, run, mounter, wanted } = options;
  await mkdir(root, { recursive: true, mode: 0o700 });
  const loopProblem = await problemOfImages(root, run);
  const image = imageBackend({ run, mounter, loops: new LoopDevices(run) });
  const found = [...(loopProblem ? [] : [image]), directoryBackend({ run, mounter })];
  if (wanted === "auto") {
    if (loopProblem) log.warning("sizes of volumes are not enforced", { reason: loopProblem });
    return found;
  }
  const first = found.find(({ name }) => name === wanted);
  if (!first) throw new Error(`back-end ${wanted} does not work here: ${loopProblem ?? "unknown"}`);
  return [first, ...found.filter((one) => one !== first)];
}

/** Why this machine cannot keep volumes in images; undefined if it can. */
async function problemOfImages(root: string, run: RunProgram): Promise<string | undefined> {
  const probe = join(root, "probe.img");
  try {
    await access("/dev/loop-control");
    await run("mkfs.ext4", ["-V"]);
    await writeFile(probe, "", { mode: 0o600 });
    await truncate(probe, 1 << 20);
    const device = (await run("losetup", ["--find", "--show", probe])).trim();
    await run("losetup", ["--detach", device]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(probe, { force: true });
  }
}
