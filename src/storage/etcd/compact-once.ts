import { logger } from "#/std/log/log.ts";
import { isFailure } from "./etcd-failure.ts";
import type { Members } from "./etcd-members.ts";

/**
 * Holds the last compacted revision; its version counts the compactions and decides which server
 * does the next one.
 */
export const compactRevisionKey = "compact_rev_key";

/** The last compaction that a compactor has seen. */
export interface CompactorState {
  /** Version of the key: the number of compactions by all servers. */
  readonly version: number;
  /**
   * The store's revision at that time: the next compaction compacts up to it. 0 before the first
   * read.
   */
  readonly revision: number;
}

export const log = logger("etcd");

/**
 * One interval: claims the compaction, and compacts if the claim succeeded and there is something
 * to compact.
 */
export async function compactOnce(
  members: Members,
  state: CompactorState,
): Promise<CompactorState> {
  const claim = await claimCompaction(members, state);
  if (claim.won && state.revision > 0) {
    await compactTo(members, state.revision).catch((error: unknown) =>
      log.error(error, "failed to compact etcd", { revision: state.revision }),
    );
  }
  return claim.state;
}

/** Compacts; an equal or later compaction by another server is no failure. */
export async function compactTo(members: Members, revision: number): Promise<void> {
  try {
    await members.readMuch(({ kv }, options) => kv.Compact({ revision }, options));
    log.v(4, "compacted etcd", { revision });
  } catch (error) {
    if (!isFailure(error, "compacted")) throw error;
  }
}

async function claimCompaction(
  members: Members,
  { version, revision }: CompactorState,
): Promise<{ won: boolean; state: CompactorState }> {
  const key = compactRevisionKey;
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
