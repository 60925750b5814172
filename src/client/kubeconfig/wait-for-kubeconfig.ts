import { existsSync } from "node:fs";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

const pollMs = 500;
const log = logger("kubeconfig");

/**
 * Resolves when the file exists. On a joining node it is written when the cluster has signed the
 * kubelet's certificate. An empty path resolves at once.
 */
export async function waitForKubeconfig(
  path: string,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  for (let logged = false; path !== "" && !existsSync(path); logged = true) {
    if (!logged) log.info("waiting for the kubeconfig to be written", { file: path });
    await clock.sleep(pollMs, signal);
  }
}
