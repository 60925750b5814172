import type { Service } from "#/api/core/v1.ts";
import type { PortRange } from "./port-set.ts";

/** Number of repairs that must find a port unused before its release: its Service may still be in creation. */
const repairsBeforeRelease = 3;

/** A problem of a Service's port, for an Event. */
interface PortProblem {
  readonly service: Service;
  readonly reason: "PortNotAllocated" | "PortAlreadyAllocated" | "PortOutOfRange";
  readonly message: string;
}

export interface PortRepair {
  readonly ports: ReadonlySet<number>;
  readonly problems: readonly PortProblem[];
  /** Unused ports and the number of repairs before their release; input of the next repair. */
  readonly leaks: ReadonlyMap<number, number>;
}

/**
 * Compares the recorded ports with the ports of Services.
 *
 * Upstream: pkg/registry/core/service/portallocator/controller/repair.go.
 */
export function planPortRepair(
  services: Iterable<Service>,
  recorded: ReadonlySet<number>,
  { range, leaks }: { readonly range: PortRange; readonly leaks: ReadonlyMap<number, number> },
): PortRepair {
  const ports = new Set<number>();
  const problems: PortProblem[] = [];
  for (const service of services) {
    for (const port of nodePortsOf(service)) {
      const problem = problemOf(service, port, { range, ports, recorded });
      if (problem) problems.push(problem);
      if (problem?.reason !== "PortOutOfRange") ports.add(port);
    }
  }
  const stillLeaking = new Map<number, number>();
  for (const port of recorded) {
    if (ports.has(port)) continue;
    const repairsLeft = leaks.get(port) ?? repairsBeforeRelease - 1;
    if (repairsLeft === 0) continue;
    stillLeaking.set(port, repairsLeft - 1);
    ports.add(port);
  }
  return { ports, problems, leaks: stillLeaking };
}

/** The node ports of a Service, including the health check port. */
export function nodePortsOf({ spec }: Service): number[] {
  const ports = (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
  if (spec.healthCheckNodePort) ports.push(spec.healthCheckNodePort);
  return [...new Set(ports)];
}

function problemOf(
  service: Service,
  port: number,
  known: { range: PortRange; ports: ReadonlySet<number>; recorded: ReadonlySet<number> },
): PortProblem | undefined {
  const { first, last } = known.range;
  if (port < first || port > last) {
    const message = `Port ${port} is not within the port range ${first}-${last}; please recreate service`;
    return { service, reason: "PortOutOfRange", message };
  }
  if (known.ports.has(port)) {
    const message = `Port ${port} was assigned to multiple services; please recreate service`;
    return { service, reason: "PortAlreadyAllocated", message };
  }
  if (known.recorded.has(port)) return undefined;
  const message = `Port ${port} is not allocated; repairing`;
  return { service, reason: "PortNotAllocated", message };
}
