/** Upstream: k8s.io/component-helpers/apimachinery/lease/controller.go. */
import { type Lease, leases } from "#/api/coordination/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { NodeRecord } from "../state/node-record.ts";

const log = logger("node-lease");
const namespace = "kube-node-lease";
const backoff = exponentialBackoff({ baseMs: 200, maxMs: 7_000 });

interface NodeLeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The lease's owner once it is registered. */
  readonly node: Pick<NodeRecord, "name" | "find">;
  readonly durationSeconds: number;
}

/** Renews the node's lease four times per lease duration, until the signal aborts. */
export async function runNodeLease(options: NodeLeaseOptions, signal: AbortSignal): Promise<void> {
  const { clock, durationSeconds } = options;
  const intervalMs = durationSeconds * 250;
  let held: Lease | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const start = clock.monotonicMs();
    try {
      held = await renew(options, held);
      failures = 0;
    } catch (error) {
      if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) held = undefined;
      log.error(error, "Failed to ensure lease exists, will retry");
      failures += 1;
    }
    const waitMs =
      failures > 0 ? backoff(failures - 1) : intervalMs - (clock.monotonicMs() - start);
    await clock.sleep(Math.max(waitMs, 0), signal).catch(() => undefined);
  }
}

async function renew(options: NodeLeaseOptions, held: Lease | undefined): Promise<Lease> {
  const { client, node } = options;
  const current = held ?? (await find(client, node.name));
  if (current === undefined) return client.create(leases, fresh(options));
  const owned = current.metadata.ownerReferences?.length ? current : withOwner(current, options);
  return client.update(leases, { ...owned, spec: leaseSpec(options) });
}

async function find(client: Client, name: string): Promise<Lease | undefined> {
  try {
    return await client.get(leases, { namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function fresh(options: NodeLeaseOptions): Lease {
  const lease: Lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: options.node.name, namespace },
    spec: leaseSpec(options),
  };
  return withOwner(lease, options);
}

function leaseSpec({ clock, node, durationSeconds }: NodeLeaseOptions): Lease["spec"] {
  return {
    holderIdentity: node.name,
    leaseDurationSeconds: durationSeconds,
    renewTime: formatMicroTime(clock.now()),
  };
}

function withOwner(lease: Lease, { node }: NodeLeaseOptions): Lease {
  const uid = node.find()?.metadata.uid;
  if (uid === undefined) return lease;
  const owner = { apiVersion: "v1", kind: "Node", name: node.name, uid };
  return { ...lease, metadata: { ...lease.metadata, ownerReferences: [owner] } };
}
