import type { Informers } from "#/client/informers/informers.ts";
import type { Logger } from "#/std/log/log.ts";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { followBalancers } from "./follow-balancers.ts";
import {
  type BalancerRoute,
  type ListedRoute,
  planBalancerRoutes,
  planRouteChanges,
} from "./plan-balancer-routes.ts";

/** The protocol number that marks these routes in the kernel; that of other routes is 107. */
const routeProtocol = "108";

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
  { run, balancerCidrs, log, ...options }: BalancerRouteOptions,
  signal: AbortSignal,
): Promise<void> {
  const pools = balancerCidrs.flatMap((text) => parseCidr(text) ?? []);
  await followBalancers(
    options,
    (objects) =>
      applyRoutes(planBalancerRoutes(objects, pools), pools, run).catch((error: unknown) =>
        log.error(error, "failed to set routes to load balancers"),
      ),
    signal,
  );
}

async function applyRoutes(
  routes: readonly BalancerRoute[],
  pools: readonly Cidr[],
  run: RunProgram,
): Promise<void> {
  const text = await run("ip", ["-4", "-j", "route", "show", "proto", routeProtocol]);
  const listed = text.trim() === "" ? [] : (JSON.parse(text) as ListedRoute[]);
  const { added, removed } = planRouteChanges(routes, listed, pools);
  for (const { address, via } of added) {
    await run("ip", ["-4", "route", "replace", address, "via", via, "proto", routeProtocol]);
  }
  for (const address of removed) {
    await run("ip", ["-4", "route", "del", address, "proto", routeProtocol]);
  }
}
