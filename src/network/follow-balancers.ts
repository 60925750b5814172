import { type Node, nodes, type Service, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { Clock } from "#/std/time/clock.ts";
import { slimNode } from "./slim-node.ts";

/** Changes within this time (ms) are applied together. */
const settleMs = 100;
/** Interval (ms) of checks without a change: another program may have removed a route. */
const checkMs = 60_000;

/** What load balancers depend on. */
export interface BalancerObjects {
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
}

interface FollowOptions {
  readonly informers: Informers;
  readonly clock: Clock;
}

/** Calls a function with the current objects at the start, after changes, and from time to time, until the signal aborts. */
export async function followBalancers(
  { informers, clock }: FollowOptions,
  apply: (objects: BalancerObjects) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const [ofServices, ofSlices, ofNodes] = [
    informers.informer(services),
    informers.informer(endpointSlices),
    informers.informer(nodes, { transform: slimNode }),
  ];
  let changed = Promise.withResolvers<void>();
  const note = (): void => changed.resolve();
  for (const informer of [ofServices, ofSlices, ofNodes]) {
    informer.subscribe({ added: note, updated: note, deleted: note });
  }
  signal.addEventListener("abort", note);
  await Promise.all([ofServices.synced, ofSlices.synced, ofNodes.synced]);
  while (!signal.aborted) {
    changed = Promise.withResolvers<void>();
    await apply({
      services: ofServices.store.list(),
      slices: ofSlices.store.list(),
      nodes: ofNodes.store.list(),
    });
    using _timer = clock.setTimer(checkMs, note);
    await changed.promise;
    await clock.sleep(settleMs, signal).catch(() => undefined);
  }
}
