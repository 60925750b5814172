import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { BackendRef } from "../table/route-table.ts";

/** The cluster's Services and their endpoints. */
export interface ServiceLookup {
  service(namespace: string, name: string): Service | undefined;
  slices(namespace: string, name: string): readonly EndpointSlice[];
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The endpoints of a backend, or why there are none. */
export type Resolution =
  | { readonly endpoints: readonly Endpoint[]; readonly protocol: string }
  | { readonly reason: string; readonly message: string };

/** The endpoints of a Service's port; pure. */
export function resolveBackend(
  { namespace, service: name, port }: BackendRef,
  lookup: ServiceLookup,
): Resolution {
  const service = lookup.service(namespace, name);
  const subject = `Service ${namespace}/${name}`;
  if (!service) return { reason: "ServiceNotFound", message: `${subject} does not exist` };
  if (service.spec.type === "ExternalName") {
    // Its owner could reach whatever the gateway reaches.
    return { reason: "UnsupportedService", message: `${subject} is of type ExternalName` };
  }
  const declared = service.spec.ports?.find((candidate) =>
    typeof port === "number" ? candidate.port === port : candidate.name === port,
  );
  if (!declared) return { reason: "PortNotFound", message: `${subject} has no port ${port}` };
  const slices = lookup.slices(namespace, name);
  const endpoints =
    endpointsOf(slices, declared.name ?? "", isReady) ??
    // While all Pods are ending, those that still serve are better than none.
    endpointsOf(slices, declared.name ?? "", ({ serving }) => serving === true);
  if (!endpoints) return { reason: "NoEndpoints", message: `${subject} has no ready endpoints` };
  return { endpoints, protocol: declared.appProtocol ?? "" };
}

type Conditions = NonNullable<Endpoints[number]["conditions"]>;
type Endpoints = NonNullable<EndpointSlice["endpoints"]>;

const isReady = ({ ready }: Conditions): boolean => ready !== false;

function endpointsOf(
  slices: readonly EndpointSlice[],
  portName: string,
  accepts: (conditions: Conditions) => boolean,
): Endpoint[] | undefined {
  const found = slices.flatMap(({ addressType, ports, endpoints }) => {
    const port = ports?.find(({ name = "" }) => (name ?? "") === portName)?.port;
    if (!port || addressType === "FQDN") return [];
    return (endpoints ?? [])
      .filter(({ conditions }) => accepts(conditions ?? {}))
      .flatMap(({ addresses }) => addresses.slice(0, 1).map((address) => ({ address, port })));
  });
  return found.length > 0 ? found : undefined;
}
