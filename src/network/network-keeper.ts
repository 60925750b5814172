import type { Informers } from "#/client/informers/informers.ts";
import type { FollowPods } from "#/std/cni/result-changes.ts";
import type { Logger } from "#/std/log/log.ts";
import type { FollowRemovals } from "#/std/netfilter/removals.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { NetworkNode } from "./network-node.ts";
import type { PodNetwork } from "./pod-network.ts";
import type { FollowRoutes } from "./route-changes.ts";

/** Changes within this time (ms) are applied together; more if there are many routes to check. */
const settleMs = 20;

const settlePerRouteMs = 2;

/**
 * Interval (ms) of checks of the routes without a reported change, and while something is damaged.
 */
const checkMs = 60_000;

const damagedCheckMs = 1000;

/**
 * Interval (ms) of full checks, each of which runs a dozen programs, and of checks of packet rules
 * whose removal isn't reported.
 */
const resyncMs = 300_000;

const unreportedResyncMs = 10_000;

/** A repair that holds for this time (ms) has succeeded. */
const lastingMs = 1000;

/** Back-off after a failure or after a repair that did not hold. */
const retryMs = exponentialBackoff({ baseMs: 1000, maxMs: 10_000 });

export interface NetworkOptions {
  readonly informers: Informers;
  readonly nodeName: string;
  readonly network: PodNetwork;
  readonly clock: Clock;
  readonly log: Logger;
  readonly followRemovals: FollowRemovals;
  readonly followRoutes: FollowRoutes;
  readonly followPods: FollowPods;
}

interface DesiredNodes {
  readonly self: NetworkNode;
  readonly all: readonly NetworkNode[];
}

/** Applies changes, and repairs damage by other programs. */
export class NetworkKeeper {
  readonly #options: Omit<NetworkOptions, "informers" | "nodeName">;
  readonly #desired: () => DesiredNodes | undefined;
  #changed = Promise.withResolvers<void>();
  #triedKey = "";
  #triedAt = 0;
  /** Time of the last full application. */
  #appliedAt = 0;
  /** Consecutive attempts that did not repair the damage. */
  #attempts = 0;
  /** Whether damage is known or possible. */
  #damaged = false;

  constructor(
    options: Omit<NetworkOptions, "informers" | "nodeName">,
    desired: () => DesiredNodes | undefined,
  ) {
    this.#options = options;
    this.#desired = desired;
  }

  /** Requests a check now. */
  wake(): void {
    this.#changed.resolve();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { network, clock, followRemovals, followRoutes } = this.#options;
    using _removals = followRemovals((removal) => {
      if (removal !== "" && !network.isConcerned(removal)) return;
      this.#damaged = true;
      this.wake();
    });
    using _routes = followRoutes((line) => {
      if (network.isUplinkChanged(line)) this.#damaged = true;
      this.wake();
    });
    const binding = this.#bindPods(signal);
    const everyMs = (await network.areRulesReported()) ? resyncMs : unreportedResyncMs;
    while (!signal.aborted) {
      this.#changed = Promise.withResolvers<void>();
      if (!(await network.isIntact())) this.#damaged = true;
      await this.#step(everyMs);
      await changedOr(this.#changed.promise, this.#damaged ? damagedCheckMs : checkMs, clock);
      const restMs = Math.max(settleMs, network.routeCount * settlePerRouteMs);
      await clock.sleep(restMs, signal).catch(() => undefined);
    }
    await binding;
  }

  /** Binds Pods at once, however long routes and rules take. A failure is damage: the next step writes everything. */
  async #bindPods(signal: AbortSignal): Promise<void> {
    const { network, clock, log, followPods } = this.#options;
    let changed = Promise.withResolvers<void>();
    using _pods = followPods(() => changed.resolve());
    signal.addEventListener("abort", () => changed.resolve(), { once: true });
    while (!signal.aborted) {
      changed = Promise.withResolvers<void>();
      try {
        await network.bindPods();
      } catch (error) {
        if (!this.#damaged) log.error(error, "failed to bind the addresses of Pods");
        this.#damaged = true;
        this.wake();
      }
      await changedOr(changed.promise, checkMs, clock);
    }
  }

  async #step(everyMs: number): Promise<void> {
    const { network, clock, log } = this.#options;
    const desired = this.#desired();
    if (!desired) return;
    const key = JSON.stringify(desired.all);
    const now = clock.monotonicMs();
    const isNew = key !== this.#triedKey;
    if (!isNew && !this.#damaged && now - this.#appliedAt < everyMs) {
      if (now - this.#triedAt >= lastingMs) this.#attempts = 0;
      return;
    }
    if (!isNew && this.#attempts > 0 && now - this.#triedAt < retryMs(this.#attempts)) return;
    if (this.#damaged || !isNew) network.distrust();
    this.#triedKey = key;
    this.#triedAt = now;
    this.#attempts++;
    this.#damaged = false;
    try {
      await network.apply(desired.self, desired.all);
      this.#appliedAt = clock.monotonicMs();
    } catch (error) {
      this.#damaged = true;
      // A lasting failure is logged less and less often.
      if (!Number.isInteger(Math.log2(this.#attempts))) return;
      log.error(error, "failed to set up the pod network", { attempts: this.#attempts });
    }
  }
}

async function changedOr(changed: Promise<void>, ms: number, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.setTimer(ms, resolve);
  await Promise.race([changed, promise]);
}
