import { randomUUID } from "node:crypto";
import type { Lease, LeaseList } from "#/api/coordination/v1.ts";
import { isAlreadyExists, isNotFound } from "#/machinery/meta/status-error.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { loopback } from "../auth/base/loopback.ts";
import type { Handler } from "../model/exchange.ts";
import { identity, leaseName } from "../model/lease-name.ts";

const url = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const identityLabel = "apiserver.kubernetes.io/identity";
/** Time after the last renewal for which a server counts as live. */
const leaseSeconds = 3600;
const renewMs = 10_000;
const collectMs = 3600 * 1000;

interface IdentityOptions {
  readonly handler: Handler;
  readonly clock: Clock;
  readonly log: Logger;
  readonly hostname: string;
  /** Address of this server for other API servers. */
  readonly address: string;
}

/**
 * Keeps the identity Lease of this server, and removes those of servers that are gone, until the signal aborts.
 *
 * Upstream: pkg/controlplane/apiserver/server.go, pkg/controlplane/controller/apiserverleasegc.
 */
export async function keepIdentityLease(
  options: IdentityOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = options;
  const holder = `${leaseName(options.hostname)}_${randomUUID()}`;
  const quietly = (what: string, run: () => Promise<void>) => () =>
    run().catch((error: unknown) => log.error(error, what));
  const renew = quietly("the lease of this server can't be renewed", () =>
    renewLease(options, holder),
  );
  const collect = quietly("leases of servers can't be collected", () => removeExpired(options));
  const timers = [
    clock.every(renewMs, () => void renew()),
    clock.every(collectMs, () => void collect()),
  ];
  const stop = () => {
    for (const timer of timers) timer.cancel();
  };
  signal.addEventListener("abort", stop, { once: true });
  await renew();
  await collect();
}

async function renewLease(
  { handler, clock, hostname, address }: IdentityOptions,
  holderIdentity: string,
): Promise<void> {
  const name = leaseName(hostname);
  const desired: Lease = {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    metadata: {
      name,
      namespace: "kube-system",
      labels: { [identityLabel]: identity, "kubernetes.io/hostname": hostname },
      annotations: { "kubernetes.io/peer-advertise-address": address },
    },
    spec: {
      holderIdentity,
      leaseDurationSeconds: leaseSeconds,
      renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
    },
  };
  try {
    const { metadata } = await loopback<Lease>(handler, "GET", `${url}/${name}`);
    const renewed = { ...desired, metadata: { ...metadata, ...desired.metadata } };
    await loopback(handler, "PUT", `${url}/${name}`, renewed);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await loopback(handler, "POST", url, desired).catch((failure: unknown) => {
      if (!isAlreadyExists(failure)) throw failure;
    });
  }
}

async function removeExpired({ handler, clock }: IdentityOptions): Promise<void> {
  const selector = encodeURIComponent(`${identityLabel}=${identity}`);
  const { items } = await loopback<LeaseList>(handler, "GET", `${url}?labelSelector=${selector}`);
  for (const lease of items) {
    if (!isExpired(lease, clock.now())) continue;
    await loopback(handler, "DELETE", `${url}/${lease.metadata?.name}`).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

function isExpired({ spec }: Lease, nowMs: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec ?? {};
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < nowMs;
}
