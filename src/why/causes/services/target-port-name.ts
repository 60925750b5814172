import { type Service, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { hasSelector, selectedPods } from "../../facts/services/service-pods.ts";

/** A port that is named and that the selected Pods do not have: they are left out. */
export const targetPortName = cause<Service>({
  name: "target-port-name-missing",
  layer: "service",
  group: "endpoints",
  of: [services],
  find(service, view) {
    if (!hasSelector(service)) return undefined;
    const found = selectedPods(service, view) ?? [];
    if (found.length === 0) return undefined;
    const ports = found.flatMap(({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].flatMap(
        ({ ports: declared }) => declared ?? [],
      ),
    );
    const missing = (service.spec?.ports ?? []).find(
      ({ targetPort }) =>
        typeof targetPort === "string" && !ports.some(({ name }) => name === targetPort),
    );
    if (!missing) return undefined;
    const declared = [
      ...new Set(
        ports.map(({ name, containerPort }) =>
          name ? `${name} (${containerPort})` : String(containerPort),
        ),
      ),
    ];
    return {
      sentence: `its targetPort "${missing.targetPort}" is the name of no port of its Pods, so port ${missing.port} has no endpoints`,
      evidence: [
        declared.length > 0
          ? `ports that its Pods declare: ${names(declared)}`
          : "its Pods declare no ports",
      ],
      fix: ["# name the container's port so, or set targetPort to its number"],
    };
  },
});
