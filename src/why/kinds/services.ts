import { nodes, type Service, services } from "#/api/core/v1.ts";
import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import { kindRules } from "../base/kind-rules.ts";
import { count, names } from "../base/text.ts";
import type { View } from "../base/view.ts";
import { isReady } from "../facts/containers.ts";
import { podsBelow } from "../facts/owned-pods.ts";
import { ingressServices } from "../facts/services/ingress-services.ts";
import {
  endpointNodes,
  hasSelector,
  isHeadless,
  readyEndpoints,
  selectedPods,
} from "../facts/services/service-pods.ts";

export const serviceRules = kindRules<Service>({
  resource: services,
  below(service, view) {
    const found = hasSelector(service) ? (selectedPods(service, view) ?? []) : [];
    return found.some(isReady) ? [] : podsBelow(found);
  },
  unfinished(service, view) {
    const { spec, metadata } = service;
    if (spec?.type === "ExternalName" || readyEndpoints(service, view) !== 0) return undefined;
    if (isHeadless(service) && selectedPods(service, view)?.length === 0) return undefined;
    return {
      layer: "service",
      sentence: "it has no ready endpoint yet",
      since: metadata.creationTimestamp,
    };
  },
  healthy(service, view) {
    const { spec } = service;
    if (spec?.type === "ExternalName") return `it is an alias of ${spec.externalName}`;
    const ready = readyEndpoints(service, view);
    return ready === undefined
      ? "nothing is wrong that can be seen"
      : ready === 0
        ? "it is headless (clusterIP None), and there is no Pod that it selects yet"
        : `it has ${count(ready, "ready endpoint")}${localText(service, view)}`;
  },
});

/** The nodes that have no endpoint, if connections to them are dropped for that. */
function localText(service: Service, view: View): string {
  const { externalTrafficPolicy, internalTrafficPolicy } = service.spec ?? {};
  const field = [
    ...(externalTrafficPolicy === "Local" ? ["externalTrafficPolicy"] : []),
    ...(internalTrafficPolicy === "Local" ? ["internalTrafficPolicy"] : []),
  ];
  if (field.length === 0) return "";
  const served = endpointNodes(service, view);
  const without = (view.list(nodes) ?? [])
    .map(({ metadata }) => metadata.name ?? "")
    .filter((name) => !served.has(name));
  return without.length === 0
    ? ""
    : `, but none on ${names(without)}, where connections are dropped (${names(field)} Local)`;
}

export const ingressRules = kindRules<Ingress>({
  resource: ingresses,
  below: (ingress, view) =>
    ingressServices(ingress).flatMap((name) => {
      const object = view.get(services, { name, namespace: ingress.metadata.namespace });
      return object ? [{ resource: services, object }] : [];
    }),
  unfinished(ingress, view) {
    const { status, metadata } = ingress;
    const { namespace, creationTimestamp: since } = metadata;
    if ((status?.loadBalancer?.ingress ?? []).length === 0)
      return { layer: "service", sentence: "no controller has given it an address yet", since };
    const idle = ingressServices(ingress).find((name) => {
      const service = view.get(services, { name, namespace });
      return (
        service?.spec?.type !== "ExternalName" && service && readyEndpoints(service, view) === 0
      );
    });
    if (idle === undefined) return undefined;
    const sentence = `its backend, the Service "${idle}", has no ready endpoint yet`;
    return { layer: "service", sentence, since };
  },
  healthy: ({ status }) => {
    const [first] = status?.loadBalancer?.ingress ?? [];
    return `it is served at ${first?.ip ?? first?.hostname ?? "an address"}, and its backends exist`;
  },
});
