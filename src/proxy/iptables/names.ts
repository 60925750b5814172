import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Endpoint } from "../base/endpoint.ts";
import { hashName } from "../base/hash-name.ts";
import type { ServicePort } from "../base/service-port.ts";
import type { ServicePortNames } from "../base/service-port-names.ts";

/** The names of the chains of a service port, cached, as they are used often. */
export const servicePortNames = memoByIdentity(makeNames);

function makeNames({ title, protocol }: ServicePort): ServicePortNames {
  const hash = hashName(`${title}${protocol.toLowerCase()}`, 16);
  return {
    cluster: `KUBE-SVC-${hash}`,
    local: `KUBE-SVL-${hash}`,
    external: `KUBE-EXT-${hash}`,
    firewall: `KUBE-FW-${hash}`,
  };
}

/** The name of the chain of an endpoint. */
export function endpointName({ title, protocol }: ServicePort, { address }: Endpoint): string {
  return `KUBE-SEP-${hashName(`${title}${protocol.toLowerCase()}${address}`, 16)}`;
}

/** Whether a chain belongs to a service. */
export function isServiceChain(name: string): boolean {
  return /^KUBE-(SVC|SVL|EXT|FW|SEP)-/.test(name);
}
