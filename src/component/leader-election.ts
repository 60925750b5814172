/** Upstream: staging/src/k8s.io/client-go/tools/leaderelection. */
import { type Lease, leases } from "#/api/coordination/v1.ts";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Fence } from "#/client/fenced-connect.ts";
import { type LeaderTerm, termOf } from "#/client/leader-term.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

export interface LeaderElectionOptions {
  readonly client: Client;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** The identity of this candidate; unique, such as host name and a UUID. */
  readonly identity: string;
  /** How long others wait for a silent leader; default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long a leader may fail to renew before it gives up; default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Interval of attempts; default 2 s. */
  readonly retryPeriodMs?: number;
  /** Records an event on the lease when the leader changes. */
  readonly recorder?: EventRecorder | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called for each new leader, this one included. */
  readonly onLeader?: (identity: string) => void;
  /** Called when this candidate becomes or ceases to be leader, for metrics. */
  readonly onLeading?: (leading: boolean) => void;
}

/**
 * Thrown when leadership was lost: the leader's work has been stopped, and the component should
 * exit.
 */
class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";

  constructor() {
    super("leaderelection lost");
  }
}

/** Random factor of the interval, so that candidates don't synchronize. */
const jitter = 1.2;
/** Limit of the random time (ms) after the end of a silent leader's lease at which a candidate tries. */
const spreadMs = 200;
const log = logger("leaderelection");

/**
 * Waits until this candidate leads, then runs until the run ends, the signal aborts or leadership
 * is lost. The run's signal aborts before another candidate can lead; the check of its fence also
 * throws in a process that was stopped meanwhile, before anything else of it has run, and the term
 * of its fence keeps writes that are late from being done. The lease is released at the end, so
 * that the next leader need not wait.
 */
export async function runAsLeader(
  options: LeaderElectionOptions,
  run: (signal: AbortSignal, fence: Fence) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const candidate = new Candidate(options);
  await candidate.acquire(signal);
  options.onLeading?.(true);
  const leading = new AbortController();
  const both = AbortSignal.any([signal, leading.signal]);
  const renewing = candidate.renewUntil(both).catch((error: unknown) => {
    leading.abort(error);
  });
  try {
    const check = (): void => candidate.checkTerm();
    await run(both, { signal: both, check, term: candidate.term });
    signal.throwIfAborted();
    leading.signal.throwIfAborted();
  } finally {
    leading.abort();
    options.onLeading?.(false);
    await renewing;
    await candidate.release();
  }
}

/** State of a candidate: the observed lease, and when it was observed. */
class Candidate {
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /**
   * The last observed lease, and when it last changed by our own clock: other clocks may differ.
   */
  #observed: Lease | undefined;
  #observedMs = 0;
  /** When the last renewal that succeeded was begun: the others count from a later time. */
  #renewedMs = 0;
  #leader = "";

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
  }

  async acquire(signal: AbortSignal): Promise<void> {
    const { lease, random = systemRandom } = this.#options;
    log.info("attempting to acquire leader lease...", { lock: `${lease.namespace}/${lease.name}` });
    for (;;) {
      signal.throwIfAborted();
      if (await this.#tryOnce(signal)) return;
      const pauseMs = this.#retryPeriodMs * (1 + jitter * random());
      // Not later than the lease of a silent leader ends, so that nothing is lost but the lease's own time.
      const leftMs = this.#expiresMs - this.#clock.monotonicMs();
      const early = leftMs > 0 ? leftMs + spreadMs * random() : pauseMs;
      await this.#clock.sleep(Math.min(pauseMs, early), signal);
    }
  }

  /** Renews until the signal aborts; throws when the renew deadline has passed. */
  async renewUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(this.#retryPeriodMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      const leftMs = this.#renewDeadlineMs - (this.#clock.monotonicMs() - this.#renewedMs);
      if (leftMs <= 0) throw new LeadershipLostError();
      if (await this.#tryWithin(leftMs, signal)) continue;
      if (this.#leader !== this.#options.identity && !signal.aborted) {
        throw new LeadershipLostError();
      }
    }
  }

  /** When the lease as it was observed ends. */
  get #expiresMs(): number {
    return this.#observedMs + this.#leaseDurationMs;
  }

  /** The term that has begun. */
  get term(): LeaderTerm | undefined {
    return this.#observed && termOf(this.#observed);
  }

  /** Throws if the renew deadline has passed, whether or not that was noticed. */
  checkTerm(): void {
    const silentMs = this.#clock.monotonicMs() - this.#renewedMs;
    if (silentMs >= this.#renewDeadlineMs) throw new LeadershipLostError();
  }

  /** Releases the lease if it is ours, so that another can take it at once. */
  async release(): Promise<void> {
    const { client, identity, lease } = this.#options;
    if (this.#leader !== identity || !this.#observed) return;
    const now = formatMicroTime(this.#clock.now());
    const { leaseTransitions = 0 } = this.#observed.spec ?? {};
    const spec = {
      holderIdentity: "",
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions,
    };
    try {
      await client.update(leases, { ...this.#observed, spec }, { timeoutMs: this.#retryPeriodMs });
    } catch (error) {
      log.error(error, "failed to release lock", { lock: `${lease.namespace}/${lease.name}` });
    }
  }

  /** An attempt limited to the remaining time. */
  async #tryWithin(leftMs: number, signal: AbortSignal): Promise<boolean> {
    const late = new AbortController();
    using _timer = this.#clock.setTimer(leftMs, () => late.abort(new LeadershipLostError()));
    return this.#tryOnce(AbortSignal.any([signal, late.signal]));
  }

  /** Takes or renews the lease if it is free or ours. */
  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    const beganMs = this.#clock.monotonicMs();
    try {
      const held = await this.#read(signal);
      const isOurs = held ? await this.#take(held, signal) : await this.#create(signal);
      if (isOurs) this.#renewedMs = beganMs;
      return isOurs;
    } catch (error) {
      if (!signal.aborted) log.v(2, "failed to acquire or renew the lease", { err: String(error) });
      return false;
    }
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, lease } = this.#options;
    try {
      return await client.get(leases, lease, { signal, timeoutMs: this.#renewDeadlineMs });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { client, lease } = this.#options;
    const metadata = { name: lease.name, namespace: lease.namespace };
    const made = await client.create(leases, { metadata, spec: this.#spec(undefined) }, { signal });
    this.#observe(made);
    return true;
  }

  async #take(held: Lease, signal: AbortSignal): Promise<boolean> {
    const { client, identity } = this.#options;
    const changed = JSON.stringify(held.spec) !== JSON.stringify(this.#observed?.spec);
    if (changed || !this.#observed) this.#observe(held);
    const { holderIdentity = "" } = held.spec ?? {};
    const free = holderIdentity === "" || this.#expiresMs <= this.#clock.monotonicMs();
    if (holderIdentity !== identity && !free) return false;
    const taken = { ...held, spec: this.#spec(held) };
    this.#observe(await client.update(leases, taken, { signal }));
    return true;
  }

  #spec(held: Lease | undefined): Lease["spec"] {
    const { identity } = this.#options;
    const now = formatMicroTime(this.#clock.now());
    const { holderIdentity, acquireTime = now, leaseTransitions = 0 } = held?.spec ?? {};
    const mine = holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: mine ? acquireTime : now,
      renewTime: now,
      leaseTransitions: mine || !held ? leaseTransitions : leaseTransitions + 1,
    };
  }

  #observe(lease: Lease): void {
    const { identity, onLeader, recorder, lease: ref } = this.#options;
    this.#observed = lease;
    this.#observedMs = this.#clock.monotonicMs();
    const leader = lease.spec?.holderIdentity ?? "";
    if (leader === this.#leader) return;
    this.#leader = leader;
    if (leader === "") return;
    onLeader?.(leader);
    if (leader !== identity) {
      log.info("new leader", { identity: leader });
      return;
    }
    log.info("successfully acquired lease", { lock: `${ref.namespace}/${ref.name}` });
    recorder?.event(lease, "Normal", "LeaderElection", `${identity} became leader`);
  }
}
