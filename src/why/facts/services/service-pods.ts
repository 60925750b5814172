import { type Pod, pods, type Service } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { View } from "../../base/view.ts";

export const selectorText = (selector: Readonly<Record<string, string>>): string =>
  Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");

export const hasSelector = ({ spec }: Service): boolean =>
  Object.keys(spec?.selector ?? {}).length > 0;

/** Whether it has no address of its own: it may be there for the names of Pods that come later. */
export const isHeadless = ({ spec }: Service): boolean => spec?.clusterIP === "None";

/** The Pods that a Service selects; undefined if they cannot be read. */
export function selectedPods({ spec, metadata }: Service, view: View): readonly Pod[] | undefined {
  const labelSelector = selectorText(spec?.selector ?? {});
  return view.list(pods, { namespace: metadata.namespace, labelSelector });
}

/** The label by which an EndpointSlice belongs to a Service. */
export const serviceNameLabel = "kubernetes.io/service-name";

/** The slices of a Service; undefined if they cannot be read. */
function slicesOf({ metadata }: Service, view: View): readonly EndpointSlice[] | undefined {
  const labelSelector = `${serviceNameLabel}=${metadata.name}`;
  return view.list(endpointSlices, { namespace: metadata.namespace, labelSelector });
}

/** The number of endpoints that take connections; undefined if the slices cannot be read. */
export function readyEndpoints(service: Service, view: View): number | undefined {
  const slices = slicesOf(service, view);
  return slices
    ?.flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false).length;
}

/** The nodes of the endpoints that take connections. */
export const endpointNodes = (service: Service, view: View): ReadonlySet<string> =>
  new Set(
    (slicesOf(service, view) ?? [])
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ nodeName }) => (nodeName === undefined ? [] : [nodeName])),
  );
