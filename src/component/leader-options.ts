import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "#/client/client.ts";
import { leaderMetrics } from "#/client/client-metrics.ts";
import { recorder } from "#/client/events/events.ts";
import type { Registry } from "#/std/metrics/metrics.ts";

/** The flags of leader election that every manager has. */
interface LeaderFlags {
  readonly "leader-elect-resource-namespace": string;
  readonly "leader-elect-resource-name": string;
  readonly "leader-elect-lease-duration": number;
  readonly "leader-elect-renew-deadline": number;
  readonly "leader-elect-retry-period": number;
}

/** The options of runAsLeader() for a component with these flags. */
export function leaderOptions(
  component: string,
  flags: LeaderFlags,
  { client, metrics }: { readonly client: Client; readonly metrics: Registry },
) {
  return {
    client,
    lease: {
      namespace: flags["leader-elect-resource-namespace"],
      name: flags["leader-elect-resource-name"],
    },
    identity: `${hostname()}_${randomUUID()}`,
    leaseDurationMs: flags["leader-elect-lease-duration"],
    renewDeadlineMs: flags["leader-elect-renew-deadline"],
    retryPeriodMs: flags["leader-elect-retry-period"],
    recorder: recorder(client, { component }),
    onLeading: leaderMetrics(metrics, flags["leader-elect-resource-name"]),
  };
}
