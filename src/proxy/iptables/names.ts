import type { Endpoint } from "../endpoint.ts";
import { hashName } from "../hash-name.ts";
import type { ServicePort } from "../service-port.ts";

/** The names of the chains of a service port. */
export interface ServicePortNames {
  readonly cluster: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
}

const known = new WeakMap<ServicePort, ServicePortNames>();

/** The names of the chains of a service port, which are needed often. */
export function servicePortNames(port: ServicePort): ServicePortNames {
  const found = known.get(port) ?? makeNames(port);
  known.set(port, found);
  return found;
}

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
