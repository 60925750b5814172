import { type Service, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { cause } from "../../base/cause.ts";
import { ageMs } from "../../base/text.ts";
import {
  hasSelector,
  readyEndpoints,
  serviceNameLabel,
} from "../../facts/services/service-pods.ts";

/** Limit of the time (ms) in which the program that makes the endpoints has written them. */
const slowMs = 10_000;

export const noSelector = cause<Service>({
  name: "service-without-selector",
  layer: "service",
  group: "endpoints",
  of: [services],
  find(service, view) {
    if (hasSelector(service) || service.spec?.type === "ExternalName") return undefined;
    if (ageMs(service.metadata.creationTimestamp, view.nowMs) < slowMs) return undefined;
    if (readyEndpoints(service, view) !== 0) return undefined;
    const { namespace, name = "" } = service.metadata;
    const lost = (view.list(endpointSlices, { namespace }) ?? []).find(
      ({ metadata }) =>
        metadata.name?.startsWith(name) && metadata.labels?.[serviceNameLabel] === undefined,
    );
    if (lost)
      return {
        sentence: `it has no selector, and no EndpointSlice belongs to it: "${lost.metadata.name}" lacks the label ${serviceNameLabel}=${name}`,
        fix: [`kubectl label endpointslice ${lost.metadata.name} ${serviceNameLabel}=${name}`],
      };
    return {
      sentence: "it has no selector, and there is no EndpointSlice for it: it leads nowhere",
      fix: [
        "# give it a selector, or create an EndpointSlice with the label kubernetes.io/service-name",
      ],
    };
  },
});
