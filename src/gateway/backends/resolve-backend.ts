import type { Service, ServicePort } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { BackendTls } from "../table/backend-tls.ts";
import type { BackendRef } from "../table/route-target.ts";

/** The cluster's Services and their endpoints. */
export interface ServiceLookup {
  service(namespace: string, name: string): Service | undefined;
  slices(namespace: string, name: string): readonly EndpointSlice[];
  /** How to connect to a port of a Service, by "namespace/name"; `tls` is undefined if that is impossible. */
  tls?(service: string, port: string): { readonly tls: BackendTls | undefined } | undefined;
}

export interface Endpoint {
  /** Equal for endpoints that are reached in the same way. */
  readonly key: string;
  readonly address: string;
  readonly port: number;
  /** Whether it speaks HTTP/2 without TLS, as its Service says. */
  readonly isHttp2: boolean;
  /** Undefined for connections without TLS. */
  readonly tls: BackendTls | undefined;
}

/** The endpoints of a backend, or why there are none. */
export type Resolution =
  | { readonly endpoints: readonly Endpoint[] }
  | { readonly reason: string; readonly message: string };

/** What a Service calls HTTP/2 without TLS. */
const http2Protocols: ReadonlySet<string> = new Set(["kubernetes.io/h2c", "h2c", "grpc"]);

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
  const secured = lookup.tls?.(`${namespace}/${name}`, declared.name ?? "");
  if (secured && !secured.tls) {
    return {
      reason: "InvalidTLSPolicy",
      message: `the BackendTLSPolicy of ${subject} is not valid`,
    };
  }
  const slices = lookup.slices(namespace, name);
  const endpoints =
    endpointsOf(slices, declared, secured?.tls, isReady) ??
    // While all Pods are ending, those that still serve are better than none.
    endpointsOf(slices, declared, secured?.tls, ({ serving }) => serving === true);
  if (!endpoints) return { reason: "NoEndpoints", message: `${subject} has no ready endpoints` };
  return { endpoints };
}

type Conditions = NonNullable<Endpoints[number]["conditions"]>;
type Endpoints = NonNullable<EndpointSlice["endpoints"]>;

const isReady = ({ ready }: Conditions): boolean => ready !== false;

function endpointsOf(
  slices: readonly EndpointSlice[],
  { name: portName = "", appProtocol }: ServicePort,
  tls: BackendTls | undefined,
  accepts: (conditions: Conditions) => boolean,
): Endpoint[] | undefined {
  const isHttp2 = http2Protocols.has(appProtocol ?? "");
  const found = slices.flatMap(({ addressType, ports, endpoints }) => {
    const port = ports?.find(({ name = "" }) => (name ?? "") === (portName ?? ""))?.port;
    if (!port || addressType === "FQDN") return [];
    return (endpoints ?? [])
      .filter(({ conditions }) => accepts(conditions ?? {}))
      .flatMap(({ addresses }) =>
        addresses.slice(0, 1).map((address) => ({
          key: tls ? `${address} ${port} ${tls.key}` : `${address} ${port}`,
          address,
          port,
          isHttp2,
          tls,
        })),
      );
  });
  return found.length > 0 ? found : undefined;
}
