import { type Service, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { hasSelector, serviceNameLabel } from "../../facts/services/service-pods.ts";

/** Endpoints by hand whose ports have other names than the Service's: they belong together by their names. */
export const endpointPort = cause<Service>({
  name: "endpoint-port-name",
  layer: "service",
  group: "endpoints",
  of: [services],
  find(service, view) {
    const { namespace, name } = service.metadata;
    if (hasSelector(service) || service.spec?.type === "ExternalName") return undefined;
    const labelSelector = `${serviceNameLabel}=${name}`;
    const slices = view.list(endpointSlices, { namespace, labelSelector }) ?? [];
    const offered = new Set(
      slices.flatMap(({ ports }) => (ports ?? []).map((port) => port.name ?? "")),
    );
    const missing = (service.spec?.ports ?? []).find((port) => !offered.has(port.name ?? ""));
    if (!missing || slices.length === 0) return undefined;
    const shown = [...offered].map((one) => `"${one}"`);
    return {
      sentence: `its port ${missing.port} leads nowhere: no EndpointSlice of it has a port named "${missing.name ?? ""}" (${shown.length > 0 ? `they have ${names(shown)}` : "they have none"})`,
      evidence: slices.map(({ metadata }) => `its EndpointSlice ${metadata.name}`),
      fix: ["# name the ports of the EndpointSlice as those of the Service"],
    };
  },
});
