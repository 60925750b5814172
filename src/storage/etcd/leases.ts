import type { Clock } from "#/std/time/clock.ts";

/** Requests a lease of this TTL from etcd; resolves with its identifier. */
type GrantLease = (ttlSeconds: number) => Promise<bigint>;

interface Lease {
  readonly id: Promise<bigint>;
  /**
   * On the monotonic clock, and never later than in etcd, which starts counting when it gets the
   * request.
   */
  readonly expiresAtMs: number;
  keys: number;
}

/**
 * Leases are longer than requested by this share, up to this number of seconds, so that later keys
 * can use them.
 */
const reuseShare = 0.05;
const defaultReuseSeconds = 60;
/** Limit of keys per lease: etcd deletes them all at once. */
const maxKeys = 1_000;
/** Limit of distinct TTLs with a cached lease; there are a handful in practice. */
const maxLeases = 100;

/**
 * Leases shared by keys of the same TTL that are written within a short time, since leases are
 * costly for etcd.
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/etcd3/lease_manager.go.
 */
export class Leases {
  readonly #clock: Clock;
  readonly #grant: GrantLease;
  readonly #maxReuseSeconds: number;
  /** By TTL in seconds, the least recently granted first. */
  readonly #leases = new Map<number, Lease>();

  constructor(clock: Clock, grant: GrantLease, maxReuseSeconds = defaultReuseSeconds) {
    this.#clock = clock;
    this.#grant = grant;
    this.#maxReuseSeconds = maxReuseSeconds;
  }

  /** A lease on which a key lives for at least this TTL. */
  async lease(ttlSeconds: number): Promise<bigint> {
    const now = this.#clock.monotonicMs();
    const held = this.#leases.get(ttlSeconds);
    if (held && held.keys < maxKeys && now + ttlSeconds * 1000 < held.expiresAtMs) {
      held.keys++;
      return held.id;
    }
    const reuseSeconds = Math.min(this.#maxReuseSeconds, Math.floor(ttlSeconds * reuseShare));
    const grantedSeconds = ttlSeconds + reuseSeconds;
    const expiresAtMs = now + grantedSeconds * 1000;
    const lease = { id: this.#grant(grantedSeconds), expiresAtMs, keys: 1 };
    this.#remember(ttlSeconds, lease);
    lease.id.catch(() => {
      if (this.#leases.get(ttlSeconds) === lease) this.forget(ttlSeconds);
    });
    return lease.id;
  }

  /** Drops the cached lease of this TTL, which etcd does not know (any more). */
  forget(ttlSeconds: number): void {
    this.#leases.delete(ttlSeconds);
  }

  #remember(ttlSeconds: number, lease: Lease): void {
    this.#leases.delete(ttlSeconds);
    const [oldest] = this.#leases.keys();
    if (this.#leases.size >= maxLeases && oldest !== undefined) this.#leases.delete(oldest);
    this.#leases.set(ttlSeconds, lease);
  }
}
