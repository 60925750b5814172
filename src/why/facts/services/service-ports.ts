import type { Pod, Service } from "#/api/core/v1.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import type { View } from "../../base/view.ts";
import { isReady } from "../containers.ts";
import { hasSelector, selectedPods } from "./service-pods.ts";

/** Limits of what is tried (count): each is a connection to a Pod. */
const maxPods = 3;
const maxPorts = 3;

/** A port of a Pod to which a Service leads. */
interface TargetPort {
  readonly pod: Pod;
  /** The port of the Pod. */
  readonly number: number;
  /** That of the Service. */
  readonly port: number;
}

/** The ports over TCP to which a Service leads, on ready Pods: of each owner one, as the others are like it. */
export function targetPorts(service: Service, view: View): readonly TargetPort[] {
  if (!hasSelector(service) || service.spec?.type === "ExternalName") return [];
  const all = (selectedPods(service, view) ?? []).filter(isReady);
  const ofOwners = new Map(
    all.toReversed().map((pod) => [findControllerReference(pod)?.uid ?? pod.metadata.name, pod]),
  );
  const tcp = (service.spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
  const chosen = [...ofOwners.values()].toReversed().slice(0, maxPods);
  return chosen.flatMap((pod) =>
    tcp.slice(0, maxPorts).flatMap(({ port, targetPort = port }) => {
      const number = typeof targetPort === "number" ? targetPort : namedPort(pod, targetPort);
      return number === undefined ? [] : [{ pod, number, port }];
    }),
  );
}

const namedPort = (pod: Pod, name: string): number | undefined =>
  pod.spec.containers.flatMap(({ ports }) => ports ?? []).find((port) => port.name === name)
    ?.containerPort;
