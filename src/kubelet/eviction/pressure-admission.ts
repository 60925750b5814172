/** Upstream: pkg/kubelet/eviction/eviction_manager.go (Admit). */
import type { Pod } from "#/api/core/v1.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import { toleratesTaint } from "#/machinery/pods/tolerations.ts";
import { isCritical } from "../cgroups/oom-score.ts";
import type { Admission } from "../state/pod-services.ts";
import type { Pressure } from "../state/pressure.ts";

const memoryTaint = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;

/** Whether a pod may start on a node under pressure. */
export function admitUnderPressure(pod: Pod, { memory, disk, pid }: Pressure): Admission {
  if ((!memory && !disk && !pid) || isCritical(pod)) return { admitted: true };
  if (memory && !disk && !pid) {
    const tolerated = (pod.spec.tolerations ?? []).some((one) => toleratesTaint(one, memoryTaint));
    if (podQOSClass(pod) !== "BestEffort" || tolerated) return { admitted: true };
  }
  const names = [
    ...(memory ? ["MemoryPressure"] : []),
    ...(disk ? ["DiskPressure"] : []),
    ...(pid ? ["PIDPressure"] : []),
  ];
  const message = `The node had condition: [${names.join(" ")}]. `;
  return { admitted: false, reason: "Evicted", message };
}
