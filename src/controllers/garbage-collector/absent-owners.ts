/** Upstream: pkg/controller/garbagecollector/uid_cache.go. */
import { type Identity, identityKey } from "./identity.ts";

/** Limit of cached absent owners; upstream's. Each saves a request per dependent. */
const maxAbsent = 500;

/**
 * Owners that do not exist according to the server. The same uid may exist at other coordinates
 * than those that a wrong reference names, so both are the key.
 */
export class AbsentOwners {
  readonly #keys = new Set<string>();

  add(identity: Identity, uid: string): void {
    const key = keyOf(identity, uid);
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > maxAbsent && oldest !== undefined) this.#keys.delete(oldest);
  }

  has(identity: Identity, uid: string): boolean {
    return this.#keys.has(keyOf(identity, uid));
  }
}

const keyOf = (identity: Identity, uid: string): string => `${identityKey(identity)}\0${uid}`;
