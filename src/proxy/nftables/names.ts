import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Endpoint } from "../base/endpoint.ts";
import { hashName } from "../base/hash-name.ts";
import type { ServicePort } from "../base/service-port.ts";
import type { ServicePortNames } from "../base/service-port-names.ts";

/** The name of our table. */
export const tableName = "kube-proxy";

/** Limit of a name (letters): nftables' 256 minus 16 for prefixes. */
const maxBaseLength = 240;

/** The names of the chains of a service port, cached, as they are used often. */
export const servicePortNames = memoByIdentity(makeNames);

function makeNames(port: ServicePort): ServicePortNames {
  const base = withHash(servicePath(port));
  return {
    cluster: `service-${base}`,
    local: `local-${base}`,
    external: `external-${base}`,
    firewall: `firewall-${base}`,
  };
}

/** The names of an endpoint's own chain and set, for session affinity. */
export function endpointNames(port: ServicePort, { ip, port: number }: Endpoint) {
  const base = withHash(`${servicePath(port)}__${ip.replaceAll(":", ".")}/${number}`);
  return { chain: `endpoint-${base}`, affinity: `affinity-${base}` };
}

/** Whether a chain belongs to a service; only these have a slash in their names. */
export function isServiceChain(name: string): boolean {
  return name.includes("/");
}

export function isAffinitySet(name: string): boolean {
  return name.startsWith("affinity-");
}

function servicePath({ namespace, name, protocol, portName }: ServicePort): string {
  return `${namespace}/${name}/${protocol.toLowerCase()}/${portName}`;
}

function withHash(path: string): string {
  const name = `${hashName(path, 8)}-${path}`;
  return name.length > maxBaseLength ? `${name.slice(0, maxBaseLength - 3)}...` : name;
}
