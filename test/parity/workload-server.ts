import { namespaces } from "#/api/core/v1.ts";
import type { Attributes } from "#/apiserver/registry/admission.ts";
import { serve } from "#/apiserver/registry/strategy.ts";
import { appsResources } from "#/apiserver/resources/apps/index.ts";
import { autoscalingResources } from "#/apiserver/resources/autoscaling/index.ts";
import { batchResources } from "#/apiserver/resources/batch/index.ts";
import { nodeResources } from "#/apiserver/resources/node/index.ts";
import { policyResources } from "#/apiserver/resources/policy/index.ts";
import { schedulingResources } from "#/apiserver/resources/scheduling/index.ts";
import { storageResources } from "#/apiserver/resources/storage/index.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { inProcessTarget } from "./in-process-target.ts";
import type { Target } from "./reference.ts";

const resources = [
  serve(namespaces),
  ...appsResources,
  ...autoscalingResources,
  ...batchResources,
  ...nodeResources,
  ...policyResources,
  ...schedulingResources,
  ...storageResources,
];

/** Our server with workloads and related kinds, and with some features that are off by default. */
export async function startWorkloadServer(features: readonly string[] = []): Promise<Target> {
  const server = await startApiServer({
    resources,
    enabled: enabledFeatures(Object.fromEntries(features.map((name) => [name, true]))),
    // The clock stands still, so that the second never changes within a case.
    clock: new FakeClock(Date.UTC(2026, 10, 1)),
    admission: { mutate: protect, validate: () => undefined },
  });
  return inProcessTarget(server);
}

/** The effect of StorageObjectInUseProtection on VolumeAttributesClasses. */
function protect({ resource, operation, subresource, object }: Attributes): void {
  if (resource.name !== "volumeattributesclasses" || operation !== "CREATE") return;
  if (subresource === "" && object) object.metadata.finalizers = ["kubernetes.io/vac-protection"];
}
