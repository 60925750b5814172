import type { Member } from "./etcd-members.ts";

/** Limit of etcd's time to cancel a watch (ms); it checks such watches every 100 ms. */
const defaultTimeoutMs = 2_000;

/**
 * The oldest uncompacted revision, given a compacted one. etcd reports it when a watch fails, not
 * when a read fails. Without a response, the revision after the given one.
 */
export async function findOldestRevision(member: Member, compacted: number): Promise<number> {
  const startRevision = Math.max(1, compacted);
  using call = member.watch.Watch({ timeoutMs: defaultTimeoutMs });
  await call.write({ request: { create: { key: "\0", startRevision } } });
  try {
    for await (const responses of call) {
      const cancelled = responses.find(({ compactRevision }) => compactRevision > 0);
      if (cancelled) return cancelled.compactRevision;
    }
    return compacted + 1;
  } catch {
    // The caller's own error is more important than this one.
    return compacted + 1;
  }
}
