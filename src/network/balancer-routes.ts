import type { Informers } from "#/client/informers/informers.ts";
import type { Logger } from "#/std/log/log.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { followBalancers } from "./follow-balancers.ts";
import { type BalancerRoute, planBalancerRoutes } from "./plan-balancer-routes.ts";

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
      applyRoutes(planBalancerRoutes(objects, pools), run).catch((error: unknown) =>
        log.error(error, "failed to set routes to load balancers"),
      ),
    signal,
  );
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
