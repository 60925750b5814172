import { pods, type Service, services } from "#/api/core/v1.ts";
import { subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { targetPorts } from "../../facts/services/service-ports.ts";

/** A program that listens for connections from within its Pod only. */
export const targetPortLoopback = cause<Service>({
  name: "target-port-on-loopback",
  layer: "service",
  group: "endpoints",
  isFeltAbove: true,
  of: [services],
  find(service, view) {
    // Both are read at once: what refuses within the Pod, too, is a closed port.
    const found = targetPorts(service, view).find(({ pod, number }) => {
      const own = view.refuses(pod, number);
      return view.refusesOthers(pod, number) && own === false;
    });
    if (!found) return undefined;
    const { pod, number, port } = found;
    const { name = "" } = pod.metadata;
    const address = pod.status?.podIP ?? "the Pod's address";
    return {
      about: subjectOf(pods, pod),
      sentence: `the program behind its port ${port} listens on 127.0.0.1 (localhost) only: port ${number} accepts connections from within the Pod, and refuses all others`,
      evidence: [
        `a connection to port ${number} of pod/${name} from within the Pod was accepted`,
        `a connection to ${address}:${number} from the API server was refused`,
      ],
      fix: ["# have the program listen on all addresses: 0.0.0.0, or [::]", `kubectl logs ${name}`],
    };
  },
});
