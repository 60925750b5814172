import { type Pod, pods } from "#/api/core/v1.ts";
import { resourceClaims, resourceClaimTemplates } from "#/api/resource/v1.ts";
import { cause } from "../../base/cause.ts";
import { isScheduled } from "../../facts/containers.ts";

/** A Pod whose claim of devices does not exist: the scheduler does not even try. */
export const resourceClaimMissing = cause<Pod>({
  name: "resource-claim-missing",
  layer: "scheduling",
  of: [pods],
  find(pod, view) {
    if (isScheduled(pod)) return undefined;
    const { namespace, creationTimestamp: since } = pod.metadata;
    for (const { resourceClaimName, resourceClaimTemplateName } of pod.spec.resourceClaims ?? []) {
      const [resource, name] = resourceClaimName
        ? [resourceClaims, resourceClaimName]
        : [resourceClaimTemplates, resourceClaimTemplateName];
      if (!name || !view.isAbsent(resource, { name, namespace })) continue;
      return {
        sentence: `its ${resource.kind} "${name}" does not exist, so the scheduler does not try`,
        since,
        fix: ["kubectl get resourceclaims,resourceclaimtemplates,deviceclasses"],
      };
    }
    return undefined;
  },
});
