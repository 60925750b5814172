import type { StoredObject } from "./stored-object.ts";

/** The version that a write is based on, as far as it is known. */
export interface Basis {
  readonly current: StoredObject | undefined;
  /** The store had this version when it was read, or checks it now: the outcome is final. */
  isCertain: boolean;
}

/** A write that was done. */
export interface Won {
  readonly object: StoredObject;
}

/** The reason why a write was not done. */
export interface Lost {
  readonly object: undefined;
  readonly current: StoredObject | undefined;
}

/** Attempts a write on a basis. Marks the basis as certain once the store checks it. */
export type Try<T extends Won> = (basis: Basis) => Promise<T | Lost>;

/** Limit of retries after a lost race (count); each attempt sees a newer object. */
const raceAttempts = 64;

/**
 * Retries a write until it wins its race; undefined if it never does. If other servers write to the store as well, the
 * first basis may be out of date. An error or an empty change then counts only if the store still has that version.
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go (GuaranteedUpdate).
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

/** The outcome of an attempt; an error is one as well. */
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
