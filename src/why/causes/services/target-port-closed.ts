import { pods, type Service, services } from "#/api/core/v1.ts";
import { subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { selectedPods } from "../../facts/services/service-pods.ts";
import { targetPorts } from "../../facts/services/service-ports.ts";

/** A port on which no program listens: found by a connection that sends nothing. */
export const targetPortClosed = cause<Service>({
  name: "target-port-closed",
  layer: "service",
  group: "endpoints",
  isFeltAbove: true,
  of: [services],
  find(service, view) {
    const tried = targetPorts(service, view);
    const closed = tried.find(({ pod, number }) => view.refuses(pod, number));
    if (!closed) return undefined;
    const { pod, number, port } = closed;
    const { name = "" } = pod.metadata;
    const others = tried.filter((one) => one.port === port && one !== closed);
    const isPartial = others.some((one) => view.refuses(one.pod, one.number) === false);
    const all = selectedPods(service, view)?.length ?? 0;
    return {
      about: subjectOf(pods, pod),
      sentence: isPartial
        ? `nothing listens on port ${number} of some of the ${all} Pods that its selector matches, to which its port ${port} leads: these refuse connections, and others do not`
        : `nothing listens on port ${number}, to which its port ${port} leads (targetPort): the connection is refused`,
      // The connection comes from within the Pod: a program may listen on the Pod's address only.
      certainty: "likely",
      evidence: [`a connection to port ${number} of pod/${name}, through the kubelet, was refused`],
      fix: [
        `kubectl logs ${name} --tail=20`,
        isPartial
          ? "# narrow the selector: it also matches Pods of another program"
          : "# set targetPort to the port on which the program listens",
      ],
    };
  },
});
