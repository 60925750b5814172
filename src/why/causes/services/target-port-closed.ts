import { type Pod, pods, type Service, services } from "#/api/core/v1.ts";
import { subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { isReady } from "../../facts/containers.ts";
import { hasSelector, selectedPods } from "../../facts/service-pods.ts";

/** Limit of the ports that are tried (count): each is a connection to a Pod. */
const maxPorts = 3;

/** A port on which no program listens: found by a connection that sends nothing. */
export const targetPortClosed = cause<Service>({
  name: "target-port-closed",
  layer: "service",
  group: "endpoints",
  of: [services],
  find(service, view) {
    if (!hasSelector(service) || service.spec?.type === "ExternalName") return undefined;
    const pod = (selectedPods(service, view) ?? []).find(isReady);
    const tcp = (service.spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
    for (const { port, targetPort = port } of tcp.slice(0, maxPorts)) {
      const number = typeof targetPort === "number" ? targetPort : namedPort(pod, targetPort);
      if (!pod || number === undefined || !view.refuses(pod, number)) continue;
      const name = pod.metadata.name ?? "";
      return {
        about: subjectOf(pods, pod),
        sentence: `nothing listens on port ${number}, to which its port ${port} leads (targetPort): the connection is refused`,
        // The connection comes from within the Pod: a program may listen on the Pod's address only.
        certainty: "likely",
        evidence: [
          `a connection to port ${number} of pod/${name}, through the kubelet, was refused`,
        ],
        fix: [
          `kubectl logs ${name} --tail=20`,
          "# set targetPort to the port on which the program listens",
        ],
      };
    }
    return undefined;
  },
});

const namedPort = (pod: Pod | undefined, name: string): number | undefined =>
  pod?.spec.containers.flatMap(({ ports }) => ports ?? []).find((port) => port.name === name)
    ?.containerPort;
