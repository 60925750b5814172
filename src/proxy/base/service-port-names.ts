import type { ServicePort } from "./service-port.ts";

/** The names of the chains of a service port. */
export interface ServicePortNames {
  readonly cluster: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
}

/** Caches the names of a service port, as they are used often. */
export function rememberNames(
  make: (port: ServicePort) => ServicePortNames,
): (port: ServicePort) => ServicePortNames {
  const known = new WeakMap<ServicePort, ServicePortNames>();
  return (port) => {
    const found = known.get(port) ?? make(port);
    known.set(port, found);
    return found;
  };
}
