import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { Logger } from "#/std/log/log.ts";
import type { FollowRemovals } from "#/std/netfilter/removals.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type NetworkNode, networkNode } from "./network-node.ts";
import type { PodNetwork } from "./pod-network.ts";
import type { FollowRoutes } from "./route-changes.ts";

/** Changes within this time are taken together; longer if there are many routes to look at. */
const settleMs = 20;
const settlePerRouteMs = 2;
/** When to look at the routes though no change was reported, and while something is wrong. */
const lookMs = 60_000;
const damagedLookMs = 1000;
/** When to look at everything again, which takes a dozen programs, and at packet rules whose removal isn't reported. */
const resyncMs = 300_000;
const unreportedResyncMs = 10_000;
/** A repair that holds for this time (ms) has lasted. */
const lastingMs = 1000;
/** When to try again after a failure, or after a repair that did not last. */
const retryMs = exponentialBackoff({ baseMs: 1000, maxMs: 10_000 });

export interface NetworkOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly network: PodNetwork;
  readonly clock: Clock;
  readonly log: Logger;
  readonly followRemovals: FollowRemovals;
  readonly followRoutes: FollowRoutes;
}

/** Keeps the pod network in step with the nodes until the signal aborts. */
export async function serveNetwork(options: NetworkOptions, signal: AbortSignal): Promise<void> {
  const { client, nodeName, clock } = options;
  const informers = new Informers(client, signal, { clock });
  const informer = informers.informer(nodes, { transform: slim });
  const keeper = new NetworkKeeper(options, () => {
    const all = informer.store.list().flatMap((node) => networkNode(node) ?? []);
    const self = all.find(({ name }) => name === nodeName);
    return self && { self, all };
  });
  const note = (): void => keeper.wake();
  informer.subscribe({ added: note, updated: note, deleted: note });
  signal.addEventListener("abort", note);
  await informer.synced;
  await keeper.run(signal);
}

interface WantedNodes {
  readonly self: NetworkNode;
  readonly all: readonly NetworkNode[];
}

/** Applies what changes, and puts back what other programs take away. */
export class NetworkKeeper {
  readonly #options: Omit<NetworkOptions, "client" | "nodeName">;
  readonly #wanted: () => WantedNodes | undefined;
  #changed = Promise.withResolvers<void>();
  #triedKey = "";
  #triedAt = 0;
  /** When everything was last made right. */
  #appliedAt = 0;
  /** Attempts in a row after which something was wrong all the same. */
  #attempts = 0;
  /** Whether something is wrong, or may be. */
  #damaged = false;

  constructor(
    options: Omit<NetworkOptions, "client" | "nodeName">,
    wanted: () => WantedNodes | undefined,
  ) {
    this.#options = options;
    this.#wanted = wanted;
  }

  /** Has it look now. */
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
    using _routes = followRoutes(() => this.wake());
    const everyMs = (await network.areRulesReported()) ? resyncMs : unreportedResyncMs;
    while (!signal.aborted) {
      this.#changed = Promise.withResolvers<void>();
      if (!(await network.isIntact())) this.#damaged = true;
      await this.#step(everyMs);
      await changedOr(this.#changed.promise, this.#damaged ? damagedLookMs : lookMs, clock);
      const restMs = Math.max(settleMs, network.routeCount * settlePerRouteMs);
      await clock.sleep(restMs, signal).catch(() => undefined);
    }
  }

  async #step(everyMs: number): Promise<void> {
    const { network, clock, log } = this.#options;
    const wanted = this.#wanted();
    if (!wanted) return;
    const key = JSON.stringify(wanted.all);
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
      await network.apply(wanted.self, wanted.all);
      this.#appliedAt = clock.monotonicMs();
    } catch (error) {
      this.#damaged = true;
      // What lasts is logged less and less often.
      if (!Number.isInteger(Math.log2(this.#attempts))) return;
      log.error(error, "failed to set up the pod network", { attempts: this.#attempts });
    }
  }
}

/** Nodes report themselves all the time; only these parts of them matter here. */
function slim({ status, ...node }: Node): Node {
  const metadata = { ...node.metadata, managedFields: [], annotations: {} };
  return { ...node, metadata, status: { addresses: status?.addresses ?? [] } };
}

async function changedOr(changed: Promise<void>, ms: number, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.setTimer(ms, resolve);
  await Promise.race([changed, promise]);
}
