import { type Pod, type Service, type ServicePort, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { hasSelector, selectedPods } from "../../facts/services/service-pods.ts";

/** Containers may listen on ports that they do not declare: a hint only. */
export const targetPortNumber = cause<Service>({
  name: "target-port-not-declared",
  layer: "service",
  group: "endpoints",
  of: [services],
  find(service, view) {
    if (!hasSelector(service) || service.spec?.type === "ExternalName") return undefined;
    const declared = [...new Set((selectedPods(service, view) ?? []).flatMap(declaredPorts))];
    if (declared.length === 0) return undefined;
    const wrong = (service.spec?.ports ?? []).find((port) => !declared.includes(targetOf(port)));
    if (!wrong || typeof wrong.targetPort === "string") return undefined;
    return {
      sentence: `its targetPort ${targetOf(wrong)} is none of the ports that its Pods declare (${names(declared)}): connections are refused unless a program listens there`,
      certainty: "likely",
      fix: [`# set targetPort of port ${wrong.port} to ${declared[0]?.split("/")[0]}`],
    };
  },
});

const targetOf = ({ port, targetPort, protocol = "TCP" }: ServicePort): string =>
  `${targetPort ?? port}/${protocol}`;

const declaredPorts = ({ spec }: Pod): string[] =>
  spec.containers
    .flatMap(({ ports }) => ports ?? [])
    .map(({ containerPort, protocol = "TCP" }) => `${containerPort}/${protocol}`);
