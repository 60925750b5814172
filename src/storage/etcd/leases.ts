import type { Clock } from "#/std/time/clock.ts";

/** Asks etcd for a lease of so many seconds; its identifier. */
export type GrantLease = (ttlSeconds: number) => Promise<bigint>;

interface Lease {
  readonly id: Promise<bigint>;
  /** On the monotonic clock, and never later than in etcd, which starts counting when it hears of the lease. */
  readonly expiresAtMs: number;
  keys: number;
}

/** A lease is made longer than its keys need by this share, up to this many seconds, so that later keys can use it. */
const REUSE_SHARE = 0.05;
const DEFAULT_REUSE_SECONDS = 60;
/** etcd deletes all keys of a lease in one go, so there must not be too many. */
const MAX_KEYS = 1_000;
/** Distinct TTLs for which a lease is remembered; there are a handful in practice. */
const MAX_LEASES = 100;

/**
 * Leases shared by keys of the same TTL that are written within a short time, since a lease is a costly thing for etcd.
 * Upstream: apiserver pkg/storage/etcd3/lease_manager.go.
 */
export class Leases {
  readonly #clock: Clock;
  readonly #grant: GrantLease;
  readonly #maxReuseSeconds: number;
  /** By TTL in seconds, the least recently granted first. */
  readonly #leases = new Map<number, Lease>();

  constructor(clock: Clock, grant: GrantLease, maxReuseSeconds = DEFAULT_REUSE_SECONDS) {
    this.#clock = clock;
    this.#grant = grant;
    this.#maxReuseSeconds = maxReuseSeconds;
  }

  /** A lease on which a key lives for at least so long. */
  async lease(ttlSeconds: number): Promise<bigint> {
    const now = this.#clock.monotonicMs();
    const held = this.#leases.get(ttlSeconds);
    if (held && held.keys < MAX_KEYS && now + ttlSeconds * 1000 < held.expiresAtMs) {
      held.keys++;
      return held.id;
    }
    const reuseSeconds = Math.min(this.#maxReuseSeconds, Math.floor(ttlSeconds * REUSE_SHARE));
    const grantedSeconds = ttlSeconds + reuseSeconds;
    const expiresAtMs = now + grantedSeconds * 1000;
    const lease = { id: this.#grant(grantedSeconds), expiresAtMs, keys: 1 };
    this.#remember(ttlSeconds, lease);
    lease.id.catch(() => {
      if (this.#leases.get(ttlSeconds) === lease) this.forget(ttlSeconds);
    });
    return lease.id;
  }

  /** etcd does not know the lease that was handed out for this TTL (any more). */
  forget(ttlSeconds: number): void {
    this.#leases.delete(ttlSeconds);
  }

  #remember(ttlSeconds: number, lease: Lease): void {
    this.#leases.delete(ttlSeconds);
    const [oldest] = this.#leases.keys();
    if (this.#leases.size >= MAX_LEASES && oldest !== undefined) this.#leases.delete(oldest);
    this.#leases.set(ttlSeconds, lease);
  }
}
