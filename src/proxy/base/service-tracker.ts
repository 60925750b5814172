import { isDeepStrictEqual } from "node:util";
import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { RoutedPort } from "./backend.ts";
import { type Endpoint, endpointsByPort, portKey } from "./endpoint.ts";
import type { IpFamily } from "./ip-family.ts";
import { planRouting, type Topology } from "./routing.ts";
import { type ServicePort, servicePorts } from "./service-port.ts";

/** The state of one service. */
interface Entry {
  ports: readonly ServicePort[];
  readonly slices: Map<string, EndpointSlice>;
  /** By portKey; computed at the first use after a change. */
  endpoints: ReadonlyMap<string, readonly Endpoint[]> | undefined;
}

/** The changes since the last take(). */
export interface TrackedChanges {
  /** By `namespace/name`, each computed when iterated; without ports the service is deleted. */
  readonly services: Iterable<readonly [string, readonly RoutedPort[]]>;
  /** Whether the endpoints of a UDP service changed, so that old flows may be stale. */
  readonly udpEndpoints: boolean;
  /** The times of the endpoint changes, in milliseconds since 1970. */
  readonly triggerTimes: readonly number[];
}

/** The health check of a service on this node. */
export interface HealthCheck {
  readonly port: number;
  readonly localEndpoints: number;
}

/** The services and endpoints of one family, and their changes. */
export class ServiceTracker {
  readonly #family: IpFamily;
  readonly #nodeName: string;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Set<string>();
  #triggerTimes: number[] = [];
  #udpEndpoints = false;
  #zone: string | undefined;

  constructor(family: IpFamily, nodeName: string) {
    this.#family = family;
    this.#nodeName = nodeName;
  }

  get size(): number {
    return this.#entries.size;
  }

  get pending(): number {
    return this.#changed.size;
  }

  /** Sets or deletes a service; returns whether the change is relevant. */
  setService(key: string, service: Service | undefined): boolean {
    const entry = this.#entry(key);
    const ports = service ? servicePorts(service, this.#family) : [];
    if (isDeepStrictEqual(entry.ports, ports)) return this.#forgetIfEmpty(key, false);
    entry.ports = ports;
    this.#changed.add(key);
    return this.#forgetIfEmpty(key, true);
  }

  /** Sets or deletes a slice; returns whether the change is relevant. */
  setSlice(slice: EndpointSlice, gone: boolean): boolean {
    const key = serviceKeyOf(slice);
    if (slice.addressType !== this.#family || key === undefined) return false;
    const entry = this.#entry(key);
    const name = slice.metadata.name ?? "";
    if (gone ? !entry.slices.has(name) : sameSlice(entry.slices.get(name), slice)) {
      return this.#forgetIfEmpty(key, false);
    }
    this.#noteUdp(entry);
    if (gone) entry.slices.delete(name);
    else entry.slices.set(name, slice);
    entry.endpoints = undefined;
    this.#noteUdp(entry);
    this.#changed.add(key);
    const trigger =
      slice.metadata.annotations?.["endpoints.kubernetes.io/last-change-trigger-time"];
    if (!gone && trigger !== undefined) this.#triggerTimes.push(Date.parse(trigger));
    return this.#forgetIfEmpty(key, true);
  }

  /** Returns whether the node's zone has changed. */
  setZone(zone: string | undefined): boolean {
    const moved = zone !== this.#zone;
    this.#zone = zone;
    return moved;
  }

  /** The changes, or everything. */
  take(everything: boolean): TrackedChanges {
    const keys = [...(everything ? this.#entries.keys() : this.#changed)];
    const services = this.#routedServices(keys);
    const [udpEndpoints, triggerTimes] = [this.#udpEndpoints, this.#triggerTimes];
    this.#changed.clear();
    this.#udpEndpoints = false;
    this.#triggerTimes = [];
    return { services, udpEndpoints, triggerTimes };
  }

  /** Every service port with all of its endpoints. */
  *ports(): Generator<{ port: ServicePort; endpoints: readonly Endpoint[] }> {
    for (const entry of this.#entries.values()) {
      for (const port of entry.ports) yield { port, endpoints: this.#endpoints(entry, port) };
    }
  }

  /** Number of endpoints of all service ports. */
  endpointCount(): number {
    let count = 0;
    for (const { slices } of this.#entries.values()) {
      for (const { endpoints, ports } of slices.values()) {
        count += (endpoints?.length ?? 0) * (ports?.length ?? 0);
      }
    }
    return count;
  }

  /** The services with a health check: its port, and the number of ready endpoints on this node. */
  healthChecks(): Map<string, HealthCheck> {
    const checks = new Map<string, HealthCheck>();
    for (const [key, entry] of this.#entries) {
      const port = entry.ports.find(({ healthCheckNodePort }) => healthCheckNodePort !== 0);
      if (!port) continue;
      const here = [...this.#all(entry).values()]
        .flat()
        .filter(({ local, ready }) => local && ready);
      const localEndpoints = new Set(here.map(({ ip }) => ip)).size;
      checks.set(key, { port: port.healthCheckNodePort, localEndpoints });
    }
    return checks;
  }

  *#routedServices(keys: readonly string[]): Generator<[string, RoutedPort[]]> {
    const topology = { nodeName: this.#nodeName, zone: this.#zone };
    for (const key of keys) yield [key, this.#routed(key, topology)];
  }

  #routed(key: string, topology: Topology): RoutedPort[] {
    const entry = this.#entries.get(key);
    if (!entry) return [];
    return entry.ports.map((port) => {
      const endpoints = this.#endpoints(entry, port);
      return { port, endpoints, routing: planRouting(port, endpoints, topology) };
    });
  }

  #endpoints(entry: Entry, { portName, protocol }: ServicePort): readonly Endpoint[] {
    return this.#all(entry).get(portKey(portName, protocol)) ?? [];
  }

  #all(entry: Entry): ReadonlyMap<string, readonly Endpoint[]> {
    entry.endpoints ??= endpointsByPort(entry.slices.values(), this.#nodeName);
    return entry.endpoints;
  }

  #noteUdp(entry: Entry): void {
    for (const { ports } of entry.slices.values()) {
      if (ports?.some(({ protocol }) => protocol === "UDP")) this.#udpEndpoints = true;
    }
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known) return known;
    const entry: Entry = { ports: [], slices: new Map(), endpoints: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  #forgetIfEmpty(key: string, changed: boolean): boolean {
    const entry = this.#entries.get(key);
    if (entry?.ports.length === 0 && entry.slices.size === 0) this.#entries.delete(key);
    return changed;
  }
}

/** `namespace/name` of a slice's service. */
function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.["kubernetes.io/service-name"];
  return name ? `${metadata.namespace ?? ""}/${name}` : undefined;
}

function sameSlice(a: EndpointSlice | undefined, b: EndpointSlice): boolean {
  return isDeepStrictEqual([a?.endpoints, a?.ports], [b.endpoints, b.ports]) && a !== undefined;
}
