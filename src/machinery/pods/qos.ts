import type { Pod, PodQOSClass, ResourceRequirements } from "#/api/core/v1.ts";
import { parseQuantity, zeroQuantity } from "../values/quantity.ts";
import { hasPodLevel } from "./pod-resources.ts";

/** The QoS class in the pod's status, or else the one computed from its spec. */
export function podQOSClass(pod: Pick<Pod, "spec" | "status">): PodQOSClass {
  return pod.status?.qosClass || computeQOSClass(pod);
}

/**
 * The QoS class of a pod: from its pod-level resources if it has any, else from all containers.
 *
 * Upstream: pkg/apis/core/v1/helper/qos/qos.go.
 */
export function computeQOSClass({ spec }: Pick<Pod, "spec">): PodQOSClass {
  if (spec.resources !== undefined && hasPodLevel({ spec })) return classOf(spec.resources);
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return commonClass(containers.map(({ resources }) => classOf(resources ?? {})));
}

function classOf(resources: ResourceRequirements): PodQOSClass {
  return commonClass(["cpu", "memory"].map((name) => classOfResource(resources, name)));
}

function classOfResource({ requests, limits }: ResourceRequirements, name: string): PodQOSClass {
  const request = amount(requests, name);
  if (!request.equals(amount(limits, name))) return "Burstable";
  return request.isZero ? "BestEffort" : "Guaranteed";
}

/** The class of all if they are equal, else Burstable. */
function commonClass([first = "BestEffort", ...rest]: readonly PodQOSClass[]): PodQOSClass {
  return rest.every((one) => one === first) ? first : "Burstable";
}

function amount(list: Readonly<Record<string, string>> | undefined, name: string) {
  const text = list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
  return text === undefined ? zeroQuantity : parseQuantity(text);
}
