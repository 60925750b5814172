import type { Pod, PodQOSClass, ResourceRequirements } from "#/api/core/v1.ts";
import { parseQuantity, zeroQuantity } from "../values/quantity.ts";
import { hasPodLevel } from "./pod-resources.ts";

/** The class in the pod's status, or the one that its spec gives. */
export function podQOSClass(pod: Pick<Pod, "spec" | "status">): PodQOSClass {
  return pod.status?.qosClass || computeQOSClass(pod);
}

/**
 * How a pod's processor time and memory are guaranteed: pod-level resources decide, else the containers together.
 *
 * Upstream: kubernetes/pkg/apis/core/v1/helper/qos/qos.go.
 */
export function computeQOSClass({ spec }: Pick<Pod, "spec">): PodQOSClass {
  if (spec.resources !== undefined && hasPodLevel({ spec })) return classOf(spec.resources);
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return agree(containers.map(({ resources }) => classOf(resources ?? {})));
}

function classOf(resources: ResourceRequirements): PodQOSClass {
  return agree(["cpu", "memory"].map((name) => classOfResource(resources, name)));
}

function classOfResource({ requests, limits }: ResourceRequirements, name: string): PodQOSClass {
  const request = amount(requests, name);
  if (!request.equals(amount(limits, name))) return "Burstable";
  return request.isZero ? "BestEffort" : "Guaranteed";
}

/** The class of all if they agree, else the one between. */
function agree([first = "BestEffort", ...rest]: readonly PodQOSClass[]): PodQOSClass {
  return rest.every((one) => one === first) ? first : "Burstable";
}

function amount(list: Readonly<Record<string, string>> | undefined, name: string) {
  const text = list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
  return text === undefined ? zeroQuantity : parseQuantity(text);
}
