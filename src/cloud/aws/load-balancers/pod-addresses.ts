import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { PodAddresses, PodEndpoint } from "./base/environment.ts";

const serviceLabel = "kubernetes.io/service-name";

/** The addresses of Pods from EndpointSlices of the Service's first family: a target group has targets of one. */
export function podAddresses(
  slicesOf: (namespace: string, service: string) => Iterable<EndpointSlice>,
): PodAddresses {
  return {
    endpointsOf({ metadata, spec }: Service, portName) {
      const family = spec?.ipFamilies?.[0] ?? "IPv4";
      const { namespace = "", name = "" } = metadata ?? {};
      return [...slicesOf(namespace, name)]
        .filter(({ addressType }) => addressType === family)
        .flatMap((slice) => endpointsOfSlice(slice, portName));
    },
  };
}

function endpointsOfSlice(
  { endpoints = [], ports = [] }: EndpointSlice,
  name: string,
): PodEndpoint[] {
  const port = ports.find((one) => (one.name ?? "") === name)?.port;
  if (port === undefined) return [];
  return endpoints
    .filter(({ conditions }) => conditions?.ready ?? true)
    .flatMap(({ addresses }) => addresses.slice(0, 1))
    .map((address) => ({ address, port }));
}

/** The name of the Service of an EndpointSlice; none if it belongs to none. */
export function serviceOfSlice({ metadata }: EndpointSlice): string[] {
  const name = metadata?.labels?.[serviceLabel];
  return name === undefined ? [] : [name];
}
