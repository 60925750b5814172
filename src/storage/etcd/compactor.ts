import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { isFailure } from "./etcd-failure.ts";
import type { Members } from "./etcd-members.ts";

/** Holds the last compacted revision; its version counts the compactions and decides who does the next one. */
export const COMPACT_REVISION_KEY = "compact_rev_key";

/** What a compactor knows of the last compaction that it has seen. */
export interface CompactorState {
  /** Version of the key: how many compactions there have been, by anyone. */
  readonly version: number;
  /** The store's revision then: what the next compaction keeps from. 0 before the first look. */
  readonly revision: number;
}

const log = logger("etcd");

/**
 * Compacts at each interval to the revision that the store had one interval ago, so that history is kept for at least
 * one interval. Of several API servers, upstream's among them, only one does it each time: the one whose count is right.
 * Upstream: apiserver pkg/storage/etcd3/compact.go.
 */
export async function runCompactor(
  members: Members,
  { clock, intervalMs }: { readonly clock: Clock; readonly intervalMs: number },
): Promise<void> {
  let state: CompactorState = { version: 0, revision: 0 };
  const { closing } = members;
  const slept = (): Promise<boolean> =>
    clock.sleep(intervalMs, closing).then(
      () => true,
      () => false,
    );
  while (await slept()) {
    try {
      state = await compactOnce(members, state);
    } catch (error) {
      if (!closing.aborted) log.error(error, "etcd was not compacted");
    }
  }
}

/** One turn: claims the compaction, and does it if it was ours to claim and there is something to compact. */
export async function compactOnce(
  members: Members,
  state: CompactorState,
): Promise<CompactorState> {
  const claim = await claimCompaction(members, state);
  if (claim.won && state.revision > 0) {
    await compactTo(members, state.revision).catch((error: unknown) =>
      log.error(error, "etcd was not compacted", { revision: state.revision }),
    );
  }
  return claim.state;
}

/** Compacts; that it has been done already, or further, is no failure. */
export async function compactTo(members: Members, revision: number): Promise<void> {
  try {
    await members.read(({ kv }, options) => kv.Compact({ revision }, options));
    log.v(4, "compacted etcd", { revision });
  } catch (error) {
    if (!isFailure(error, "compacted")) throw error;
  }
}

async function claimCompaction(
  members: Members,
  { version, revision }: CompactorState,
): Promise<{ won: boolean; state: CompactorState }> {
  const key = COMPACT_REVISION_KEY;
  const value = Buffer.from(String(revision));
  const response = await members.write(({ kv }, options) =>
    kv.Txn(
      {
        compare: [{ target: "VERSION", key, value: { version } }],
        success: [{ request: { put: { key, value } } }],
        failure: [{ request: { range: { key } } }],
      },
      options,
    ),
  );
  const now = response.header?.revision ?? 0;
  if (response.succeeded) return { won: true, state: { version: version + 1, revision: now } };
  const current = response.responses[0]?.response?.range?.kvs[0];
  return { won: false, state: { version: current?.version ?? 0, revision: now } };
}
