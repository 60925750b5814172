import type { Resource } from "#/api/base/resource.ts";
import { services } from "#/api/core/v1.ts";
import { ipAddresses, serviceCIDRs } from "#/api/networking/v1.ts";
import { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { seriesRecorder } from "#/client/events/event-series.ts";
import { isAlreadyExists, isNotFound } from "#/machinery/meta/status-error.ts";
import type { Logger } from "#/std/log/log.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { repeat } from "#/std/time/repeat.ts";
import { loopbackUser } from "../auth/base/loopback.ts";
import { InProcessTransport } from "../http/in-process-transport.ts";
import type { Handler } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";
import { AddressRange } from "../resources/core/service/allocators/address-range.ts";
import { NodePorts } from "../resources/core/service/allocators/node-ports.ts";
import type { PortRange } from "../resources/core/service/allocators/port-set.ts";
import {
  type AddressStep,
  planAddressRepair,
} from "../resources/core/service/allocators/repair-addresses.ts";
import {
  type PortRepair,
  planPortRepair,
} from "../resources/core/service/allocators/repair-node-ports.ts";

const repairIntervalMs = 3 * 60_000;
/** Limit of retries of a write of the port allocation after a conflict (count). */
const attempts = 5;

interface RepairOptions {
  readonly handler: Handler;
  readonly registry: Registry;
  readonly nodePortRange: PortRange;
  readonly log: Logger;
}

/**
 * Repairs differences between Services and their allocated addresses and ports, at the start and every three minutes,
 * until the signal aborts. Objects are read from the server's caches.
 *
 * Upstream: pkg/registry/core/rest/storage_core.go (start-service-ip-repair-controllers).
 */
export async function repairServices(options: RepairOptions, signal: AbortSignal): Promise<void> {
  const { handler, registry, log } = options;
  const { clock } = registry;
  const client = new Client(new InProcessTransport(handler, { user: loopbackUser }), { clock });
  const recorderOf = (component: string): EventRecorder =>
    seriesRecorder(client, { component, clock, signal });
  const addresses = recorderOf("ipallocator-repair-controller");
  const ports = portRepair(options, recorderOf("portallocator-repair-controller"));
  const work = async (): Promise<void> => {
    await Promise.all([repairAddresses(client, registry, addresses), ports()]);
  };
  const failed = (error: unknown): void =>
    void log.error(error, "failed to repair addresses and ports of Services");
  await repeat(work, { clock, everyMs: repairIntervalMs, failed }, signal);
}

async function repairAddresses(
  client: Client,
  registry: Registry,
  recorder: EventRecorder,
): Promise<void> {
  const ranges = objectsOf(registry, serviceCIDRs)
    .flatMap(({ spec }) => spec?.cidrs ?? [])
    .flatMap((text) => parseCidr(text) ?? [])
    .map((cidr) => new AddressRange(cidr));
  if (ranges.length === 0) return;
  const steps = planAddressRepair({
    services: objectsOf(registry, services),
    addresses: objectsOf(registry, ipAddresses),
    ranges,
    now: registry.clock.now(),
  });
  for (const step of steps) {
    if (!(await perform(client, step)) || step.reason === "") continue;
    const { about, reason, message } = step;
    recorder.event(about, "Warning", reason, message, { action: actionOf(reason) });
  }
}

/** False if there was nothing to do: the cache of addresses was older than that of Services. */
async function perform(client: Client, { remove, create }: AddressStep): Promise<boolean> {
  try {
    if (remove) await client.delete(ipAddresses, { name: remove });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (!create) return false;
  }
  try {
    if (create) await client.create(ipAddresses, create);
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

function actionOf(reason: string): string {
  if (reason === "ClusterIPNotValid") return "ClusterIPValidation";
  return reason.startsWith("IPAddress") ? "IPAddressAllocation" : "ClusterIPAllocation";
}

/** Repairs the allocation of node ports; remembers suspected leaks between runs. */
function portRepair(
  { registry, nodePortRange: range }: RepairOptions,
  recorder: EventRecorder,
): () => Promise<void> {
  const nodePorts = new NodePorts(range);
  let leaks: PortRepair["leaks"] = new Map();
  return async () => {
    const { storage } = registry.store(services);
    for (let attempt = 0; attempt < attempts; attempt++) {
      let repair: PortRepair | undefined;
      const isDone = await nodePorts.replace(storage, (recorded) => {
        repair = planPortRepair(objectsOf(registry, services), recorded, { range, leaks });
        return repair.ports;
      });
      if (!isDone || !repair) continue;
      leaks = repair.leaks;
      for (const { service, reason, message } of repair.problems) {
        recorder.event(service, "Warning", reason, message, { action: "PortAllocation" });
      }
      return;
    }
  };
}

function objectsOf<T>(registry: Registry, resource: Resource<T>): T[] {
  const { items } = registry.store(resource).cache.snapshot();
  return Array.from(items.entries(), ([, stored]) => stored.parsed() as T);
}
