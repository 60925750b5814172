import { type Service, services } from "#/api/core/v1.ts";
import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import { kindRules } from "../base/kind-rules.ts";
import { count } from "../base/text.ts";
import { isReady } from "../facts/containers.ts";
import { ingressServices } from "../facts/ingress-services.ts";
import { podsBelow } from "../facts/owned-pods.ts";
import { hasSelector, readyEndpoints, selectedPods } from "../facts/service-pods.ts";

export const serviceRules = kindRules<Service>({
  resource: services,
  below(service, view) {
    const found = hasSelector(service) ? (selectedPods(service, view) ?? []) : [];
    return found.some(isReady) ? [] : podsBelow(found);
  },
  unfinished(service, view) {
    const { spec, metadata } = service;
    if (spec?.type === "ExternalName" || readyEndpoints(service, view) !== 0) return undefined;
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
      : `it has ${count(ready, "ready endpoint")}`;
  },
});

export const ingressRules = kindRules<Ingress>({
  resource: ingresses,
  below: (ingress, view) =>
    ingressServices(ingress).flatMap((name) => {
      const object = view.get(services, { name, namespace: ingress.metadata.namespace });
      return object ? [{ resource: services, object }] : [];
    }),
  unfinished({ status, metadata }) {
    if ((status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
    return {
      layer: "service",
      sentence: "no controller has given it an address yet",
      since: metadata.creationTimestamp,
    };
  },
  healthy: ({ status }) => {
    const [first] = status?.loadBalancer?.ingress ?? [];
    return `it is served at ${first?.ip ?? first?.hostname ?? "an address"}, and its backends exist`;
  },
});
