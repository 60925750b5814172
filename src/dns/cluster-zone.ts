import type { Service } from "#/api/core/v1.ts";
import type { Endpoint, EndpointSlice } from "#/api/discovery/v1.ts";
import { formatIp, parseIp } from "#/std/net/ip.ts";
import { addressOfReverseName } from "./reverse-name.ts";
import { type DnsAnswer, type DnsRecord, rcodes, recordTypes } from "./wire/record.ts";

/** The current objects behind the zone. */
export interface ClusterState {
  /** Whether all objects are known. */
  readonly synced: boolean;
  hasNamespace(name: string): boolean;
  service(namespace: string, name: string): Service | undefined;
  slicesOf(namespace: string, service: string): readonly EndpointSlice[];
  servicesWithIp(ip: string): readonly Service[];
  /** Slices with an endpoint that has this address and a hostname. */
  slicesWithIp(ip: string): readonly EndpointSlice[];
}

/** A host of a name. */
interface Target {
  readonly host: string;
  /** Undefined if no port is declared. */
  readonly port: number | undefined;
  /** The name of the host. */
  readonly name: string;
}

/** A service with another name (ExternalName). */
interface Alias {
  readonly alias: string;
}

/** The specification's version, as published at `dns-version`. */
const schemaVersion = "1.1.0";
const schemaVersionTtl = 28_800;

/** The SOA's times, in seconds; the zone is never transferred. */
const refreshSeconds = 7200;
const retrySeconds = 1800;
const expireSeconds = 86_400;

/**
 * Answers for the cluster's domain from Services and EndpointSlices.
 * Upstream: the Kubernetes DNS-Based Service Discovery specification 1.1; CoreDNS
 * plugin/kubernetes.
 */
export class ClusterZone {
  /** In lower case, without a final dot. */
  readonly domain: string;
  readonly #state: ClusterState;
  readonly #ttl: number;
  /** Need not change, since the zone is never transferred. */
  readonly #serial: number;

  /** Whether names of Pods resolve to the address that they contain. */
  readonly #pods: boolean;

  constructor(
    domain: string,
    state: ClusterState,
    options: { readonly ttl: number; readonly serial: number; readonly pods?: boolean },
  ) {
    this.#pods = options.pods ?? true;
    this.domain = domain;
    this.#state = state;
    this.#ttl = options.ttl;
    this.#serial = options.serial;
  }

  /** The answer; undefined if the name is outside our zones. The name keeps its case. */
  answer(name: string, type: number): DnsAnswer | undefined {
    const lower = name.toLowerCase();
    const reverse = type === recordTypes.PTR ? addressOfReverseName(lower) : undefined;
    if (reverse !== undefined) return this.#reverse(name, reverse);
    if (lower !== this.domain && !lower.endsWith(`.${this.domain}`)) return undefined;
    if (type === recordTypes.AXFR || type === recordTypes.IXFR) {
      return { ...empty, rcode: rcodes.Refused, authoritative: false };
    }
    const own = lower.slice(0, -this.domain.length - 1);
    return this.#special(name, own, type) ?? this.#fromObjects(name, own, type);
  }

  #special(name: string, own: string, type: number): DnsAnswer | undefined {
    if (own === "" && type === recordTypes.SOA) return this.#found([{ ...this.#soa(), name }]);
    if (own === "" && type === recordTypes.NS) return this.#nameServers(name);
    if (own === "dns-version" && type === recordTypes.TXT) {
      return this.#found([{ name, ttl: schemaVersionTtl, type: "TXT", text: schemaVersion }]);
    }
    if (own !== "ns.dns") return undefined;
    return this.#answerOf(name, this.#serverTargets(name), type);
  }

  #fromObjects(name: string, own: string, type: number): DnsAnswer {
    if (!this.#state.synced) return { ...empty, rcode: rcodes.ServFail, authoritative: true };
    const found = this.#find(own);
    if (found === undefined) return this.#nothing(rcodes.NXDomain);
    if ("alias" in found) return this.#aliased(name, found.alias, type);
    return this.#answerOf(name, found, type);
  }

  /** The targets of a name, perhaps none; undefined if the name does not exist. */
  #find(own: string): readonly Target[] | Alias | undefined {
    const labels = own === "" ? [] : own.split(".");
    const [kind, namespace, name, ...more] = labels.toReversed();
    if (kind === undefined) return [];
    if (kind !== "svc" && kind !== "pod") return undefined;
    if (namespace === undefined) return [];
    if (!this.#state.hasNamespace(namespace)) return undefined;
    if (name === undefined) return [];
    if (kind === "pod") return more.length > 0 || !this.#pods ? undefined : this.#pod(own, name);
    if (more.length > 2) return undefined;
    const [protocol, port] = more.length === 2 ? more.map(withoutUnderscore) : [];
    const endpoint = more.length === 1 ? more[0] : undefined;
    return this.#service(namespace, name, { endpoint, protocol, port });
  }

  /** Such names resolve to the address that they contain, whether the pod exists or not. */
  #pod(own: string, name: string): readonly Target[] | undefined {
    const dashes = name.split("-").length - 1;
    const text = name.replaceAll("-", dashes === 3 && !name.includes("--") ? "." : ":");
    const ip = parseIp(text);
    if (!ip) return undefined;
    return [{ host: formatIp(ip), port: undefined, name: `${own}.${this.domain}` }];
  }

  #service(
    namespace: string,
    name: string,
    query: ServiceQuery,
  ): readonly Target[] | Alias | undefined {
    const service = this.#state.service(namespace, name);
    const spec = service?.spec;
    if (!spec) return undefined;
    const full = `${name}.${namespace}.svc.${this.domain}`;
    if (spec.type === "ExternalName") {
      if (query.endpoint !== undefined || !spec.externalName) return undefined;
      return { alias: spec.externalName.replace(/\.$/, "") };
    }
    const targets =
      spec.clusterIP === "None" || query.endpoint !== undefined
        ? this.#endpointTargets(namespace, name, full, query)
        : clusterIpTargets(service, full, query);
    return targets.length > 0 ? targets : undefined;
  }

  #endpointTargets(namespace: string, name: string, full: string, query: ServiceQuery): Target[] {
    return this.#state.slicesOf(namespace, name).flatMap((slice) => {
      const ports = (slice.ports ?? []).filter((port) => matches(port, query));
      const none = (slice.ports ?? []).length === 0 && query.port === undefined;
      const numbers = none ? [undefined] : ports.map(({ port }) => port);
      return readyEndpoints(slice).flatMap((endpoint) => {
        const hostname = hostnameOf(endpoint);
        if (query.endpoint !== undefined && query.endpoint !== hostname) return [];
        const [host = ""] = endpoint.addresses;
        return numbers.map((port) => ({ host, port, name: `${hostname}.${full}` }));
      });
    });
  }

  #answerOf(name: string, targets: readonly Target[], type: number): DnsAnswer {
    switch (type) {
      case recordTypes.A:
      case recordTypes.AAAA:
        return this.#found(this.#addresses(name, targets, type));
      case recordTypes.SRV:
        return this.#srv(name, targets);
      default:
        return this.#nothing(rcodes.NoError);
    }
  }

  #addresses(name: string, targets: readonly Target[], type?: number): DnsRecord[] {
    const hosts = new Set(targets.map(({ host }) => host));
    return [...hosts].flatMap((address) => {
      const own = address.includes(":") ? "AAAA" : "A";
      if (type !== undefined && recordTypes[own] !== type) return [];
      return [{ name, ttl: this.#ttl, type: own, address } as const];
    });
  }

  #srv(name: string, targets: readonly Target[]): DnsAnswer {
    const weight = Math.max(1, Math.floor(100 / targets.length));
    const records = new Map<string, DnsRecord>();
    const additional: DnsRecord[] = [];
    for (const { port, name: target } of targets) {
      if (port === undefined) continue;
      const record = { type: "SRV", priority: 0, weight, port, target } as const;
      records.set(`${target}:${port}`, { name, ttl: this.#ttl, ...record });
    }
    for (const [owner, own] of Map.groupBy(targets, (target) => target.name)) {
      additional.push(...this.#addresses(owner, own));
    }
    const found = this.#found([...records.values()]);
    return records.size > 0 ? { ...found, additional } : found;
  }

  /** If the other name is in our zone, its answer is added; else the client must resolve it. */
  #aliased(name: string, alias: string, type: number): DnsAnswer {
    const record = { name, ttl: this.#ttl, type: "CNAME", target: alias } as const;
    const asked = type === recordTypes.A || type === recordTypes.AAAA || type === recordTypes.CNAME;
    if (!asked) return this.#nothing(rcodes.NoError);
    if (type === recordTypes.CNAME || !isBelow(alias, this.domain)) return this.#found([record]);
    const next = this.#find(alias.toLowerCase().slice(0, -this.domain.length - 1));
    const targets = next === undefined || "alias" in next ? [] : next;
    return this.#found([record, ...this.#addresses(alias, targets, type)]);
  }

  #reverse(name: string, ip: string): DnsAnswer | undefined {
    const target = (owner: string): DnsRecord => {
      return { name, ttl: this.#ttl, type: "PTR", target: `${owner}.svc.${this.domain}` };
    };
    const [service] = this.#state.servicesWithIp(ip);
    if (service) {
      return this.#found([target(`${service.metadata.name}.${service.metadata.namespace}`)]);
    }
    const owners = this.#state.slicesWithIp(ip).flatMap((slice) => {
      const own = slice.metadata.labels?.["kubernetes.io/service-name"];
      const named = readyEndpoints(slice).filter(
        ({ addresses, hostname }) => hostname && addresses[0] === ip,
      );
      return named.map(({ hostname }) => `${hostname}.${own}.${slice.metadata.namespace}`);
    });
    return owners.length > 0 ? this.#found([...new Set(owners)].map(target)) : undefined;
  }

  #nameServers(name: string): DnsAnswer {
    const target = `ns.dns.${this.domain}`;
    const additional = this.#addresses(target, this.#serverTargets(target));
    return { ...this.#found([{ name, ttl: this.#ttl, type: "NS", target }]), additional };
  }

  /** The addresses of this server, as clients use them. */
  #serverTargets(name: string): Target[] {
    const service = this.#state.service("kube-system", "kube-dns");
    return (service?.spec?.clusterIPs ?? []).map((host) => ({ host, port: undefined, name }));
  }

  #found(answers: readonly DnsRecord[]): DnsAnswer {
    return answers.length > 0 ? { ...empty, answers } : this.#nothing(rcodes.NoError);
  }

  #nothing(rcode: DnsAnswer["rcode"]): DnsAnswer {
    return { ...empty, rcode, authority: [this.#soa()] };
  }

  #soa(): DnsRecord {
    return {
      name: this.domain,
      ttl: this.#ttl,
      type: "SOA",
      primary: `ns.dns.${this.domain}`,
      mailbox: `hostmaster.${this.domain}`,
      serial: this.#serial,
      refresh: refreshSeconds,
      retry: retrySeconds,
      expire: expireSeconds,
      minimum: this.#ttl,
    };
  }
}

/** The parts of a name before the service. */
interface ServiceQuery {
  readonly endpoint: string | undefined;
  readonly protocol: string | undefined;
  readonly port: string | undefined;
}

const empty: DnsAnswer = {
  rcode: rcodes.NoError,
  authoritative: true,
  answers: [],
  authority: [],
  additional: [],
};

function clusterIpTargets({ spec }: Service, full: string, query: ServiceQuery): Target[] {
  const ips = spec?.clusterIPs ?? [];
  const ports = (spec?.ports ?? []).filter((port) => matches(port, query));
  return ports.flatMap(({ port }) => ips.map((host) => ({ host, port, name: full })));
}

function matches(port: { name?: string; protocol?: string }, query: ServiceQuery): boolean {
  if (query.port === undefined) return true;
  const { name = "", protocol = "TCP" } = port;
  return name.toLowerCase() === query.port && protocol.toLowerCase() === query.protocol;
}

function readyEndpoints({ endpoints, addressType }: EndpointSlice): Endpoint[] {
  if (addressType === "FQDN") return [];
  return (endpoints ?? []).filter(({ conditions }) => conditions?.ready ?? true);
}

/** The label of an endpoint below its service. */
function hostnameOf({ hostname, addresses }: Endpoint): string {
  if (hostname) return hostname;
  const [address = ""] = addresses;
  const dashed = address.toLowerCase().replaceAll(/[.:]/g, "-");
  // A label may not end in a dash.
  return dashed.endsWith("-") ? `${dashed}0` : dashed;
}

function withoutUnderscore(label: string): string {
  return label.replace(/^_/, "");
}

function isBelow(name: string, domain: string): boolean {
  return name.toLowerCase().endsWith(`.${domain}`);
}
