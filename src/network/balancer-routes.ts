import { nodes, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { Logger } from "#/std/log/log.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type BalancerRoute, planBalancerRoutes } from "./plan-balancer-routes.ts";
import { slimNode } from "./serve-network.ts";

/** The protocol number that marks these routes in the kernel; that of other routes is 107. */
const routeProtocol = "108";
/** Changes within this time (ms) are applied together. */
const settleMs = 100;
/** Interval (ms) of checks without a change: another program may have removed a route. */
const checkMs = 60_000;

interface BalancerRouteOptions {
  readonly informers: Informers;
  /** Runs programs in the network whose routes these are. */
  readonly run: RunProgram;
  readonly balancerCidrs: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps routes to load balancers in another network, that of the machine around a node, until the signal aborts. */
export async function keepBalancerRoutes(
  { informers, run, balancerCidrs, clock, log }: BalancerRouteOptions,
  signal: AbortSignal,
): Promise<void> {
  const pools = balancerCidrs.flatMap((text) => parseCidr(text) ?? []);
  const [ofServices, ofSlices, ofNodes] = [
    informers.informer(services),
    informers.informer(endpointSlices),
    informers.informer(nodes, { transform: slimNode }),
  ];
  let changed = Promise.withResolvers<void>();
  const note = (): void => changed.resolve();
  for (const informer of [ofServices, ofSlices]) {
    informer.subscribe({ added: note, updated: note, deleted: note });
  }
  signal.addEventListener("abort", note);
  await Promise.all([ofServices.synced, ofSlices.synced, ofNodes.synced]);
  while (!signal.aborted) {
    changed = Promise.withResolvers<void>();
    const objects = {
      services: ofServices.store.list(),
      slices: ofSlices.store.list(),
      nodes: ofNodes.store.list(),
    };
    await applyRoutes(planBalancerRoutes(objects, pools), run).catch((error: unknown) =>
      log.error(error, "failed to set routes to load balancers"),
    );
    using _timer = clock.setTimer(checkMs, note);
    await changed.promise;
    await clock.sleep(settleMs, signal).catch(() => undefined);
  }
}

interface ListedRoute {
  readonly dst: string;
  readonly gateway?: string;
}

async function applyRoutes(routes: readonly BalancerRoute[], run: RunProgram): Promise<void> {
  const text = await run("ip", ["-4", "-j", "route", "show", "proto", routeProtocol]);
  const listed = text.trim() === "" ? [] : (JSON.parse(text) as ListedRoute[]);
  const found = new Map(listed.map(({ dst, gateway }) => [dst, gateway]));
  for (const { address, via } of routes) {
    if (found.get(address) === via) continue;
    await run("ip", ["-4", "route", "replace", address, "via", via, "proto", routeProtocol]);
  }
  const wanted = new Set(routes.map(({ address }) => address));
  for (const dst of found.keys()) {
    if (!wanted.has(dst)) await run("ip", ["-4", "route", "del", dst, "proto", routeProtocol]);
  }
}
