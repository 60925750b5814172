import {
  AmbiguousWriteError,
  type Entry,
  type Guard,
  type Storage,
  UnavailableError,
  type WriteResult,
} from "#/storage/base/storage.ts";

/** A time during which a client may write, as an object of the store records it. */
export interface WriteTerm {
  /** Its name in errors. */
  readonly name: string;
  /** The object that records it, as it is now; throws if it records another one. */
  guard(): Promise<Guard>;
  /** Waits until a change of that object is known. */
  waitUntil(revision: number): Promise<unknown>;
}

/** A write that is sent again until its outcome is known. */
export interface GuardedWrite {
  readonly key: string;
  send(guard: Guard): Promise<WriteResult>;
  /** The outcome as the state of the key shows it, which no earlier attempt can change any more; undefined to send again. */
  outcomeIn(entry: Entry | undefined, revision: number): WriteResult | undefined;
}

/**
 * Limit of attempts of a write (count): each renewal of a term between two of them refuses one, which happens in a row
 * only if the store takes longer for a write than the client for a renewal.
 */
const maxAttempts = 16;

/**
 * Carries out a write only while a term lasts: the store compares the revision of the object that records it in the same
 * transaction, so that a write which reaches the store later has no effect. A renewal changes that revision as well; then
 * the write is sent again with the new one. If the store's answer is lost, the revision is changed, after which the write
 * is done or never will be, and its outcome is read.
 */
export async function writeInTerm(
  term: WriteTerm,
  storage: Storage,
  write: GuardedWrite,
): Promise<WriteResult> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const result = await sendOrSettle(storage, write, await term.guard());
    if (result && (result.done || !result.byGuard)) return result;
    if (result) await term.waitUntil(result.revision);
  }
  throw new UnavailableError(`${term.name} changes faster than the store writes`);
}

async function sendOrSettle(
  storage: Storage,
  write: GuardedWrite,
  guard: Guard,
): Promise<WriteResult | undefined> {
  try {
    return await write.send(guard);
  } catch (error) {
    if (!(error instanceof AmbiguousWriteError)) throw error;
    try {
      await changeGuard(storage, guard);
      const { entry, revision } = await storage.get(write.key);
      return write.outcomeIn(entry, revision);
    } catch {
      throw error;
    }
  }
}

/** Gives the guard's key another revision, unless it has one already, and leaves its content. */
async function changeGuard(storage: Storage, guard: Guard): Promise<void> {
  const { entry } = await storage.get(guard.key);
  if (entry?.modRevision !== guard.modRevision) return;
  await storage.put(guard.key, entry.value, { expect: guard.modRevision });
}
