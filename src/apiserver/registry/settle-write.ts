import type { StoredObject } from "./stored-object.ts";

/** What a write is made from: the version that is there, as far as is known. */
export interface Basis {
  readonly current: StoredObject | undefined;
  /** The store itself had this version when it was asked, or checks it now: whatever comes out counts. */
  isCertain: boolean;
}

/** A write that was done. */
export interface Won {
  readonly object: StoredObject;
}

/** What stood in the way of a write. */
export interface Lost {
  readonly object: undefined;
  readonly current: StoredObject | undefined;
}

/** Makes a write from what is there. It says that its basis is certain once it asks the store to check it. */
export type Try<T extends Won> = (basis: Basis) => Promise<T | Lost>;

/** How often a write is tried again after it lost a race; each try sees a newer object. */
const raceAttempts = 64;

/**
 * Tries a write until it has won its race; undefined when it never does. Where others write to the store as well, the
 * first basis may be out of date. A failure, or that there is nothing to write, then counts only if the store still has
 * that version. Upstream: apiserver/pkg/storage/etcd3/store.go (GuaranteedUpdate).
 */
export async function settleWrite<T extends Won>(
  first: Basis,
  read: () => Promise<StoredObject | undefined>,
  attempt: Try<T>,
): Promise<T | undefined> {
  let basis = first;
  for (let tries = 0; tries < raceAttempts; tries++) {
    const end = await endOf(attempt, basis);
    if (!basis.isCertain) {
      const current = await read();
      if (current?.revision !== basis.current?.revision) {
        basis = { current, isCertain: true };
        continue;
      }
    }
    if ("error" in end) throw end.error;
    if (end.object) return end;
    basis = { current: end.current, isCertain: true };
  }
  return undefined;
}

/** How a try ends, be it with an error. */
async function endOf<T extends Won>(
  attempt: Try<T>,
  basis: Basis,
): Promise<T | Lost | { readonly error: unknown }> {
  try {
    return await attempt(basis);
  } catch (error) {
    return { error };
  }
}
