import type { ServiceReference } from "#/api/apiregistration/v1.ts";
import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** The reason why an API isn't available. */
export interface Unavailable {
  readonly reason: string;
  readonly message: string;
}

/**
 * The reason why an API isn't available, judged by its Service and endpoints; undefined if there is none.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
 */
export function checkService(
  { namespace = "", name = "", port = 443 }: ServiceReference,
  service: Service | undefined,
  slices: readonly EndpointSlice[],
): Unavailable | undefined {
  const subject = `service/${name} in ${goQuote(namespace)}`;
  if (!service) return { reason: "ServiceNotFound", message: `${subject} is not present` };
  if ((service.spec.type ?? "ClusterIP") !== "ClusterIP") return undefined;
  const declared = service.spec.ports?.find((candidate) => candidate.port === port);
  if (!declared) {
    return { reason: "ServicePortError", message: `${subject} is not listening on port ${port}` };
  }
  if (slices.length === 0) {
    return { reason: "EndpointsNotFound", message: `cannot find endpointslices for ${subject}` };
  }
  const portName = declared.name ?? "";
  if (slices.some((slice) => hasReadyEndpoint(slice, portName))) return undefined;
  return {
    reason: "MissingEndpoints",
    message: `endpointslices for ${subject} have no addresses with port name ${goQuote(portName)}`,
  };
}

function hasReadyEndpoint({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const ready = endpoints?.some(({ conditions }) => conditions?.ready !== false) ?? false;
  return ready && (ports?.some(({ name, port }) => (name ?? "") === portName && port) ?? false);
}
