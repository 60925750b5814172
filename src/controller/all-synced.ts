import type { Informer } from "#/client/informers/informer.ts";

/** Waits until informers have synced; false if they were stopped before. */
export async function allSynced(
  informers: readonly Informer<unknown>[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for (const informer of informers) await informer.synced;
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
