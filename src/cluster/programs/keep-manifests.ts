import { watch } from "node:fs";
import { basename } from "node:path";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { getSettings } from "../base/settings.ts";
import { applyFolders, hasManifests } from "./manifests.ts";

const log = logger("manifests");
/** Delay (ms) after a change: editors and checkouts write several files. */
const settleMs = 500;
/** Interval (ms) of looks, for changes that the file system doesn't report. */
const lookMs = 5 * 60_000;
const retry = exponentialBackoff({ baseMs: 2_000, maxMs: lookMs, jitter: 0.2 });

/** Applies the cluster's folders of manifests at each change, until the signal aborts; after a failure, again and again. */
export async function keepManifests(paths: ClusterPaths, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    // `up` may have changed which folders there are.
    const { manifests = [] } = getSettings(paths);
    using changes = changesOf(paths, manifests);
    try {
      if (hasManifests(paths, manifests)) await applyFolders(paths, manifests, signal);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      log.error(error, "failed to apply manifests");
    }
    const waitMs = failures > 0 ? retry(failures) : lookMs;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    await Promise.race([systemClock.sleep(waitMs, either), changes.next]).catch(() => undefined);
    stop.abort();
    await systemClock.sleep(settleMs, signal).catch(() => undefined);
  }
}

/** The next change in one of the folders, or of the cluster's settings. */
function changesOf(
  paths: ClusterPaths,
  folders: readonly string[],
): Disposable & { readonly next: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watchers = [paths.folder, ...folders].flatMap((folder) => {
    const recursive = folder !== paths.folder;
    try {
      const watcher = watch(folder, { persistent: false, recursive }, (_, name) => {
        if (recursive || name === basename(paths.settings)) resolve();
      });
      watcher.on("error", () => undefined);
      return [watcher];
    } catch {
      return []; // It is not there now; the next look finds it.
    }
  });
  return {
    next: promise,
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
