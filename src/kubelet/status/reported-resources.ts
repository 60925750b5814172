/** Upstream: pkg/kubelet/kubelet_pods.go (convertContainerStatusResources), pkg/kubelet/kuberuntime/helpers_linux.go. */
import type { ContainerStatus, ResourceRequirements } from "#/api/core/v1.ts";
import { milliQuantity, parseQuantity, quantityOf } from "#/machinery/values/quantity.ts";
import type { ObservedContainer } from "../state/observed-pod.ts";
import type { AnyContainer } from "../state/pod-containers.ts";

/** Amounts below the kernel's minimum, which it rounds up; the API then shows the requested amount. */
const minShares = 2;
const minMilliCPULimit = 10;

/** The resources in force in a container's status: the spec's, replaced by those that the runtime reports. */
export function reportedResources(
  container: AnyContainer,
  observed: ObservedContainer,
  old: ContainerStatus | undefined,
): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  const allocated = container.resources ?? {};
  const requests = allocated.requests;
  const resources =
    observed.state === "running" ? inForce(allocated, observed, old?.resources) : allocated;
  return { resources, ...(requests && { allocatedResources: requests }) };
}

function inForce(
  allocated: ResourceRequirements,
  { resources: actual }: ObservedContainer,
  old: ResourceRequirements | undefined,
): ResourceRequirements {
  if (!actual) return old ?? allocated;
  const result: ResourceRequirements = { ...allocated };
  const { cpuShares = 0, cpuQuota = 0, cpuPeriod = 0, memoryLimitInBytes = 0 } = actual;
  if (allocated.limits) {
    const limits = { ...allocated.limits };
    if (cpuQuota > 0 && cpuPeriod > 0) {
      const milli = Math.floor((cpuQuota * 1000) / cpuPeriod);
      if (milli > minMilliCPULimit || milliOf(limits.cpu) > minMilliCPULimit) {
        limits.cpu = milliQuantity(milli).toString();
      }
    }
    if (memoryLimitInBytes > 0) {
      limits.memory = sameOr(limits.memory, quantityOf(memoryLimitInBytes, "BinarySI").toString());
    }
    result.limits = limits;
  }
  if (allocated.requests) {
    const requests = { ...allocated.requests };
    if (cpuShares > 0) {
      const milli = Math.ceil((cpuShares * 1000) / 1024);
      const asked = milliOf(requests.cpu);
      const sameShares = Math.floor((asked * 1024) / 1000) === cpuShares;
      if (!sameShares && (cpuShares > minShares || asked > minShares)) {
        requests.cpu = milliQuantity(milli).toString();
      }
    }
    result.requests = requests;
  }
  return result;
}

function milliOf(text: string | undefined): number {
  return text === undefined ? 0 : Number(parseQuantity(text).milliValue());
}

/** The given text, if it means the same amount. */
function sameOr(given: string | undefined, text: string): string {
  if (given === undefined) return text;
  return parseQuantity(given).equals(parseQuantity(text)) ? given : text;
}
