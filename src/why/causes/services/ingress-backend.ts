import { services } from "#/api/core/v1.ts";
import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { backendsOf } from "../../facts/services/ingress-services.ts";

export const ingressBackend = cause<Ingress>({
  name: "ingress-backend-missing",
  layer: "service",
  group: "ingress",
  of: [ingresses],
  find(ingress, view) {
    const { namespace } = ingress.metadata;
    for (const { service } of backendsOf(ingress)) {
      if (!service) continue;
      const found = view.lookup(services, { name: service.name, namespace });
      if (found.state === "absent") {
        return {
          sentence: `its backend, the Service "${service.name}", does not exist`,
          fix: [`kubectl get services`],
        };
      }
      const ports = found.state === "found" ? (found.value.spec?.ports ?? []) : undefined;
      const { name, number } = service.port ?? {};
      if (!ports || ports.some((port) => port.port === number || (name && port.name === name)))
        continue;
      const list = ports.map((port) =>
        port.name ? `${port.name} (${port.port})` : String(port.port),
      );
      return {
        sentence: `its backend, the Service "${service.name}", has no port ${name ?? number} (it has ${names(list) || "none"})`,
        fix: ["# correct the port in spec.rules"],
      };
    }
    return undefined;
  },
});
