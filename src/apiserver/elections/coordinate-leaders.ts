import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { runAsLeader } from "#/component/leader-election.ts";
import { type CoordinationOptions, elect } from "./elect-leaders.ts";

/**
 * Chooses the leaders of components with coordinated leader election (the gate CoordinatedLeaderElection), on one
 * server at a time, until the signal aborts.
 *
 * Upstream: pkg/controlplane/controller/leaderelection.
 */
export async function coordinateLeaders(
  options: CoordinationOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, log, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  const lease = { namespace: "kube-system", name: "leader-election-controller" };
  const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  while (!signal.aborted) {
    const identity = `${hostname()}_${randomUUID()}`;
    const election = { client, clock, lease, identity, ...times };
    await runAsLeader(election, (leading) => elect(options, leading), signal).catch(
      (error: unknown) =>
        signal.aborted || log.error(error, "failed to run leader elections, retrying"),
    );
  }
}
