import { hostname } from "node:os";
import { Client } from "#/client/client.ts";
import { logger } from "#/std/log/log.ts";
import { loopbackUser } from "./auth/base/loopback.ts";
import type { Bootstrap } from "./bootstrap/bootstrap.ts";
import { keepIdentityLease } from "./bootstrap/identity-lease.ts";
import { trackLegacyTokens } from "./bootstrap/legacy-token-tracking.ts";
import { repairServices } from "./bootstrap/repair-services.ts";
import { nodePortRange } from "./core-options.ts";
import { advertisedAddress, isLoopback } from "./flags/advertised-address.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import { InProcessTransport } from "./http/in-process-transport.ts";
import type { Handler } from "./model/exchange.ts";
import type { Registry } from "./registry/registry.ts";

const log = logger("apiserver");

export interface OwnObjects {
  readonly flags: ApiServerFlags;
  readonly enabled: (feature: string) => boolean;
  readonly bootstrap: Bootstrap;
  readonly handler: Handler;
  readonly registry: Registry;
  readonly address: string;
}

/** Maintains the objects that announce this server, until the signal aborts. */
export async function keepOwnObjects(options: OwnObjects, signal: AbortSignal): Promise<void> {
  const { flags, bootstrap, handler, registry, address } = options;
  const { clock } = registry;
  const identity = { handler, clock, log, hostname: hostname(), address };
  void keepIdentityLease(identity, signal);
  const repair = { handler, registry, nodePortRange: nodePortRange(flags), log };
  const working = Promise.all([
    chooseLeaders(options, signal).catch((error: unknown) =>
      log.error(error, "failed to coordinate leader election"),
    ),
    repairServices(repair, signal),
  ]).then(() => undefined);
  trackLegacyTokens(handler, registry).catch((error: unknown) =>
    log.error(error, "failed to track the use of legacy tokens"),
  );
  if (flags["endpoint-reconciler-type"] === "none") return working;
  if (isLoopback(advertisedAddress(flags))) {
    log.warning(
      "this server has no address that others reach, so it is no endpoint of its service",
    );
    return working;
  }
  await Promise.all([working, bootstrap.keepEndpoints(signal)]);
}

/** Chooses the leaders of components; loaded only if the feature is on. */
async function chooseLeaders(
  { flags, enabled, handler, registry: { clock } }: OwnObjects,
  signal: AbortSignal,
): Promise<void> {
  if (!enabled("CoordinatedLeaderElection")) return;
  const { coordinateLeaders } = await import("./elections/coordinate-leaders.ts");
  const client = new Client(new InProcessTransport(handler, { user: loopbackUser }));
  const times = {
    leaseDurationMs: flags["coordinated-leadership-lease-duration"],
    renewDeadlineMs: flags["coordinated-leadership-renew-deadline"],
    retryPeriodMs: flags["coordinated-leadership-retry-period"],
  };
  await coordinateLeaders({ client, clock, log, ...times }, signal);
}
