import { namespaces, type Toleration } from "#/api/core/v1.ts";
import { podDisruptionBudgets } from "#/api/policy/v1.ts";
import type { Attributes } from "#/apiserver/registry/admission.ts";
import { serve } from "#/apiserver/registry/strategy.ts";
import { binding } from "#/apiserver/resources/core/pod/binding.ts";
import { pod } from "#/apiserver/resources/core/pod/pod.ts";
import { podTemplate } from "#/apiserver/resources/core/pod-template.ts";
import { replicationController } from "#/apiserver/resources/core/replication-controller.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { inProcessTarget } from "./in-process-target.ts";
import type { Target } from "./reference.ts";

/** Gates that are off by default in v1.37, as far as pods depend on them. */
const off: ReadonlySet<string> = new Set([
  "AtomicWriteVolumeUserFields",
  "CSIVolumeHealth",
  "ContainerStopSignals",
  "DRANodeAllocatableResources",
  "EmptyDirVolumeMode",
  "EvictionRequestAPI",
  "GRPCContainerProbeTLS",
  "GenericWorkload",
  "H2CContainerProbe",
  "ImageVolumeWithDigest",
  "InPlacePodVerticalScalingMemoryBackedVolumes",
  "TaintTolerationComparisonOperators",
  "UserNamespacesHostNetworkSupport",
  "VolumeBindMountOptions",
]);

/** The fields of a disruption budget that evictions read. */
const budget = serve(podDisruptionBudgets, {
  status: true,
  prepareForCreate({ metadata }) {
    metadata.generation = 1;
  },
});

const resources = [serve(namespaces), pod, binding, podTemplate, replicationController, budget];

/** Our server with pods and related objects, and with the defaults that admission adds to every pod. */
export async function startPodServer(): Promise<Target> {
  const server = await startApiServer({
    resources,
    enabled: (feature) => !off.has(feature),
    // The clock stands still, so that the second never changes within a case.
    clock: new FakeClock(Date.UTC(2026, 0, 1)),
    admission: { mutate: admitPod, validate: () => undefined },
  });
  return inProcessTarget(server);
}

/** Priority and DefaultTolerationSeconds, in their simplest form. */
function admitPod({ kind, operation, subresource, object }: Attributes): void {
  if (kind.kind !== "Pod" || subresource !== "" || !object) return;
  const { spec } = object as unknown as { spec: Record<string, unknown> };
  if (operation === "CREATE") {
    spec["priority"] ??= 0;
    spec["preemptionPolicy"] ??= "PreemptLowerPriority";
  }
  const tolerations = (spec["tolerations"] ?? []) as Toleration[];
  spec["tolerations"] = tolerations;
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    if (
      tolerations.some(
        (one) => (one.key === key || !one.key) && (!one.effect || one.effect === "NoExecute"),
      )
    )
      continue;
    tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
}
