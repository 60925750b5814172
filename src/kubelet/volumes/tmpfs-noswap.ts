/** Upstream: pkg/kubelet/util/swap/swap_util.go. */
import { mkdir, mkdtemp, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";

const log = logger("volumes");

interface NoswapProbe {
  readonly mounter: Mounter;
  /** As `uname -r` prints it. */
  readonly kernelVersion: string;
  /** Where a test mount is made. */
  readonly directory: string;
  readonly uidMapFile?: string;
}

/** The first kernel whose tmpfs has the option; older ones may have it as well. */
const supportedFrom = [6, 4] as const;

/**
 * Whether tmpfs can be mounted with `noswap`, so that Secrets are never written to disk. Asked of the kernel at the
 * first use only.
 */
export function noswapSupport(probe: NoswapProbe): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  return () => {
    answer ??= isNoswapSupported(probe);
    return answer;
  };
}

async function isNoswapSupported(probe: NoswapProbe): Promise<boolean> {
  const { kernelVersion, uidMapFile = "/proc/self/uid_map" } = probe;
  if (isInUserNamespace(await readFile(uidMapFile, "utf8").catch(() => ""))) {
    log.info("Running under a user namespace - tmpfs noswap is not supported");
    return false;
  }
  return isAtLeast(kernelVersion, supportedFrom) || (await canMount(probe));
}

/** Whether not all users of the machine are users of this process. A file that is missing maps nothing. */
function isInUserNamespace(uidMap: string): boolean {
  const [line = "", ...others] = uidMap.trim().split("\n");
  if (line === "") return false;
  return others.length > 0 || line.trim().split(/ +/).join(" ") !== "0 0 4294967295";
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, ownMajor = "", ownMinor = ""] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(ownMajor) > major || (Number(ownMajor) === major && Number(ownMinor) >= minor);
}

async function canMount({ mounter, directory }: NoswapProbe): Promise<boolean> {
  let target: string | undefined;
  try {
    await mkdir(directory, { recursive: true, mode: 0o750 });
    target = await mkdtemp(join(directory, "tmpfs-noswap-test-"));
    await mounter.mount({ source: "tmpfs", target, type: "tmpfs", options: ["noswap"] });
    await mounter.unmount(target);
    return true;
  } catch (error) {
    log.info("error mounting tmpfs with the noswap option. Assuming not supported", {
      error: error instanceof Error ? error.message : String(error),
    });
    return false;
  } finally {
    if (target) await rmdir(target).catch(() => undefined);
  }
}
