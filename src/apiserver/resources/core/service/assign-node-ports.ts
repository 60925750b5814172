import type { Service, ServicePort } from "#/api/core/v1.ts";
import { append } from "#/std/base/append.ts";
import { firstByKey } from "#/std/base/by-key.ts";
import { AllocationError } from "./allocators/allocation-error.ts";
import type { Ports } from "./allocators/port-set.ts";
import { hasNodePorts, needsHealthCheck, wantsNodePorts } from "./kinds-of-service.ts";

/**
 * Assigns node ports to a Service: a pure function of the Service and of the free ports.
 *
 * Upstream: pkg/registry/core/service/storage/alloc.go (initNodePorts, updateNodePorts, updateHealthCheckNodePort).
 */

/** The ports of a Service after the assignment, and the allocated and released ones. */
export interface NodePortPlan {
  readonly ports: readonly ServicePort[];
  readonly healthCheckNodePort: number;
  readonly taken: readonly number[];
  readonly released: readonly number[];
}

/** The error of a port that could not be allocated. */
export class NodePortError extends Error {
  override readonly name = "NodePortError";
  override readonly cause: AllocationError;
  /** Index of the port in the list; undefined for the health check port. */
  readonly index: number | undefined;
  /** The requested port; 0 for any. */
  readonly port: number;

  constructor(cause: AllocationError, port: number, index?: number) {
    super(cause.message);
    this.cause = cause;
    this.port = port;
    this.index = index;
  }
}

/** Throws NodePortError. */
export function assignNodePorts(
  service: Service,
  old: Service | undefined,
  free: Ports,
): NodePortPlan {
  const taken: number[] = [];
  const released: number[] = [];
  const take = (port: number, index?: number): number => {
    const given = attempt(() => takePort(free, port), port, index);
    taken.push(given);
    return given;
  };
  const before = old && hasNodePorts(old) ? numbersOf(old) : [];
  let ports: readonly ServicePort[] = service.spec.ports ?? [];
  if (hasNodePorts(service)) {
    ports = old ? assignOnUpdate(service, before, take) : assignOnCreate(service, take);
    const now = new Set(ports.map(({ nodePort }) => nodePort));
    append(
      released,
      before.filter((port) => !now.has(port)),
    );
  } else append(released, before);
  let healthCheckNodePort = service.spec.healthCheckNodePort ?? 0;
  const needed = old !== undefined && needsHealthCheck(old);
  if (!needed && needsHealthCheck(service)) healthCheckNodePort = take(healthCheckNodePort);
  if (needed && !needsHealthCheck(service) && old.spec.healthCheckNodePort) {
    released.push(old.spec.healthCheckNodePort);
  }
  return { ports, healthCheckNodePort, taken, released };
}

type Take = (port: number, index: number) => number;

function takePort(free: Ports, port: number): number {
  if (port === 0) return free.takeAny();
  free.take(port);
  return port;
}

function attempt(take: () => number, port: number, index: number | undefined): number {
  try {
    return take();
  } catch (error) {
    if (error instanceof AllocationError) throw new NodePortError(error, port, index);
    throw error;
  }
}

/** Ports of the same number (TCP and UDP, for example) share a node port, unless the client requests different ones. */
function assignOnCreate(service: Service, take: Take): ServicePort[] {
  const ports = service.spec.ports ?? [];
  const shared = new Map<number, number>();
  const wanted = firstByKey(
    ports.filter((other) => other.nodePort),
    ({ port }) => port,
  );
  return ports.map((entry, index) => {
    const { port, nodePort = 0 } = entry;
    if (nodePort === 0 && !wantsNodePorts(service)) return entry;
    const known = shared.get(port);
    if (known === undefined) {
      const requested = wanted.get(port)?.nodePort ?? 0;
      const given = take(requested, index);
      shared.set(port, given);
      return { ...entry, nodePort: given };
    }
    if (nodePort === 0 || nodePort === known) return { ...entry, nodePort: known };
    return { ...entry, nodePort: take(nodePort, index) };
  });
}

function assignOnUpdate(service: Service, before: readonly number[], take: Take): ServicePort[] {
  const owned = new Set(before);
  return (service.spec.ports ?? []).map((entry, index) => {
    const { nodePort = 0 } = entry;
    if (nodePort === 0 && !wantsNodePorts(service)) return entry;
    if (nodePort !== 0 && owned.has(nodePort)) return entry;
    const given = take(nodePort, index);
    owned.add(given);
    return { ...entry, nodePort: given };
  });
}

function numbersOf({ spec }: Service): number[] {
  return (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
}
