/** Upstream: pkg/kubelet/kubelet.go (StartGarbageCollection). */
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { NodeEvents } from "../node/node-events.ts";

interface GarbageCollectionOptions {
  readonly clock: Clock;
  readonly events: Pick<NodeEvents, "record">;
  collectContainers(): Promise<void>;
  collectImages(): Promise<void>;
  /** Records the images that exist, so that later ones are known to be new. */
  detectImages(): Promise<unknown>;
}

const log = logger("garbage-collection");
/** How often dead containers are collected (ms), as upstream. */
const containersEveryMs = 60_000;
/** How often unused images are collected (ms), as upstream. */
const imagesEveryMs = 5 * 60_000;

/** Collects dead containers and unused images, periodically, until the signal aborts. */
export async function collectGarbage(
  options: GarbageCollectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, events } = options;
  const timing = (everyMs: number, reason: string) => ({
    clock,
    everyMs,
    firstAfterMs: everyMs,
    failed(error: unknown, inARow: number) {
      log.error(error, "failed to collect garbage");
      // A single failure is only logged.
      if (inARow > 1) events.record("Warning", reason, (error as Error).message);
    },
  });
  await options.detectImages().catch((error) => log.error(error, "failed to list images"));
  await Promise.all([
    repeat(options.collectContainers, timing(containersEveryMs, "ContainerGCFailed"), signal),
    repeat(options.collectImages, timing(imagesEveryMs, "ImageGCFailed"), signal),
  ]);
}
