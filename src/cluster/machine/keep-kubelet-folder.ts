import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import { type ClusterPaths, kubeletFolder } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { mountAgainInside } from "./kubelet-folder.ts";

const log = logger("cluster");

/** Interval of looks (ms): as often as the kubelet looks for folders of Pods to remove. */
const lookMs = 10_000;

/** Mounts the folder of a node's kubelet again whenever it is gone, until the signal aborts. */
export async function keepKubeletFolder(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> {
  const look = async (): Promise<void> => {
    if (await mountAgainInside(paths, settings)) {
      log.warning("mounted the kubelet's folder again", { folder: kubeletFolder });
    }
  };
  const failed = (error: unknown): void =>
    log.error(error, "failed to mount the kubelet's folder", { folder: kubeletFolder });
  await repeat(look, { clock: systemClock, everyMs: lookMs, failed }, signal);
}
