import { isDeepStrictEqual } from "node:util";
import { type Lease, leases } from "#/api/coordination/v1.ts";
import { type LeaseCandidate, leaseCandidates } from "#/api/coordination/v1beta1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { ObjectStore } from "#/client/informers/object-store.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { formatMicroTime, parseTime } from "#/machinery/time/time.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { candidateMs, electionMs, planElection } from "./plan-election.ts";

export interface CoordinationOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/**
 * Chooses leaders whenever candidates or their leases change, and every few seconds, as a lease that is no longer
 * renewed causes no event.
 */
export async function elect(
  options: Pick<CoordinationOptions, "client" | "clock" | "log">,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, log } = options;
  const informers = new Informers(client, signal, { clock });
  const candidates = informers.informer(leaseCandidates);
  const held = informers.informer(leases);
  await informers.synced();
  let changed = Promise.withResolvers<void>();
  let elections = byLease([]);
  const wake = () => changed.resolve();
  // Most leases are heartbeats of nodes.
  const wakeFor = ({ metadata }: Lease) => {
    if (elections.has(`${metadata.namespace}/${metadata.name}`)) wake();
  };
  using _candidates = candidates.subscribe({ added: wake, updated: wake, deleted: wake });
  using _leases = held.subscribe({ added: wakeFor, updated: wakeFor, deleted: wakeFor });
  using _timer = clock.every(electionMs, wake);
  signal.addEventListener("abort", wake, { once: true });
  while (!signal.aborted) {
    changed = Promise.withResolvers<void>();
    elections = byLease(candidates.store.list());
    for (const group of elections.values()) {
      await step(options, held.store, group).catch((error: unknown) => {
        if (!isConflict(error)) log.error(error, "failed to run leader election");
      });
    }
    await changed.promise;
  }
}

/** The candidates for each lease, by its namespace and name. */
function byLease(
  candidates: readonly LeaseCandidate[],
): ReadonlyMap<string, readonly LeaseCandidate[]> {
  return Map.groupBy(candidates, ({ metadata, spec }) => `${metadata.namespace}/${spec.leaseName}`);
}

async function step(
  { client, clock, log }: Pick<CoordinationOptions, "client" | "clock" | "log">,
  held: Pick<ObjectStore<Lease>, "get">,
  candidates: readonly LeaseCandidate[],
): Promise<void> {
  const [first] = candidates;
  if (!first) return;
  const now = clock.now();
  await removeGone(client, candidates, now);
  const { namespace = "" } = first.metadata;
  const name = first.spec.leaseName;
  const lease = held.get(namespace, name);
  const next = planElection(lease, candidates, now);
  if (next.type === "fail") log.warning("found no leader", { name, reason: next.reason });
  if (next.type === "ask") {
    for (const candidate of next.candidates) {
      const spec = { ...candidate.spec, pingTime: formatMicroTime(now) };
      await client.update(leaseCandidates, { ...candidate, spec });
    }
  }
  if (next.type !== "elect" || isDeepStrictEqual(next.spec, lease?.spec)) return;
  const { spec } = next;
  if (lease) await client.update(leases, { ...lease, spec });
  else await client.create(leases, { metadata: { namespace, name }, spec });
  log.info("chose a leader", { name, holder: spec.preferredHolder ?? spec.holderIdentity ?? "" });
}

/** Candidates without a renewal for long are removed. */
async function removeGone(
  client: Client,
  candidates: readonly LeaseCandidate[],
  now: number,
): Promise<void> {
  for (const { metadata, spec } of candidates) {
    const { namespace = "", name = "" } = metadata;
    if (!spec.renewTime || parseTime(spec.renewTime) + candidateMs >= now) continue;
    await client.delete(leaseCandidates, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
