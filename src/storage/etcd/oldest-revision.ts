import type { Member } from "./etcd-members.ts";

/** How long etcd may take to cancel a watch; it looks for such watches every 100 ms. */
const TIMEOUT_MS = 2_000;

/**
 * The oldest revision that is kept, given one that is compacted away. etcd does not say it when a read fails, but it does
 * when a watch does. Without an answer, the revision after the given one.
 */
export async function findOldestRevision(member: Member, compacted: number): Promise<number> {
  const startRevision = Math.max(1, compacted);
  using call = member.watch.Watch({ timeoutMs: TIMEOUT_MS });
  await call.write({ request: { create: { key: "\0", startRevision } } });
  try {
    for await (const responses of call) {
      const told = responses.find(({ compactRevision }) => compactRevision > 0);
      if (told) return told.compactRevision;
    }
    return compacted + 1;
  } catch {
    // The caller's error matters more than why this one could not be found out.
    return compacted + 1;
  }
}
