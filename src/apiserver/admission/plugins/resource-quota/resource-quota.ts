import { type Pod, pods, type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { deviceClasses, type ResourceClaim, resourceClaims } from "#/api/resource/v1.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import type { DeviceLookups } from "#/machinery/quota/device-claim-evaluator.ts";
import { quotaEvaluators } from "#/machinery/quota/quota-evaluators.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { admissionPlugin } from "../../base/admission-plugin.ts";
import { findObject, listObjects } from "../../base/find-object.ts";
import { readLimitedResources } from "./limited-resources.ts";
import { QuotaBatcher } from "./quota-batcher.ts";

/**
 * Refuses requests over the namespace's quotas, also if they are concurrent.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/admission.go.
 */
export const resourceQuota = admissionPlugin({
  name: "ResourceQuota",
  operations: ["CREATE", "UPDATE"],
  open(services, configuration) {
    const { registry } = services;
    const limited = readLimitedResources(configuration);
    const evaluatorOf = quotaEvaluators(deviceLookups(registry));
    const batcher = new QuotaBatcher(services);
    return {
      validate(attributes) {
        const { namespace, resource, kind, operation, subresource, object, oldObject } = attributes;
        if (namespace === "" || (kind.kind === "Namespace" && kind.group === "")) return;
        if (limited.length === 0 && !hasQuota(registry, namespace)) return;
        const evaluator = evaluatorOf(resource.group, resource.name);
        const request = { operation, subresource, object, oldObject };
        if (!evaluator?.handles(request)) return;
        const limitedHere = limited.filter(
          (limit) => limit.apiGroup === resource.group && limit.resource === resource.name,
        );
        return batcher.charge(attributes, { request, evaluator, limited, limitedHere });
      },
    };
  },
});

function hasQuota(registry: Registry, namespace: string): boolean {
  return !listObjects<ResourceQuota>(registry, resourceQuotas, namespace).next().done;
}

function deviceLookups(registry: Registry): DeviceLookups {
  const classes = () => listObjects(registry, deviceClasses);
  return {
    extendedResourceOf: (name) =>
      findObject(registry, deviceClasses, "", name)?.spec.extendedResourceName,
    isDeviceClass: (extended) =>
      classes().some(
        ({ metadata, spec }) =>
          spec.extendedResourceName === extended ||
          `deviceclass.resource.kubernetes.io/${metadata.name}` === extended,
      ),
    findPod: (namespace, name): Pod | undefined => findObject(registry, pods, namespace, name),
    claimsOf: (namespace, podUid) => claimsOf(registry, namespace, podUid),
    now: () => registry.clock.now(),
  };
}

function* claimsOf(
  registry: Registry,
  namespace: string,
  podUid: string,
): Generator<Decoded<ResourceClaim>> {
  for (const claim of listObjects(registry, resourceClaims, namespace)) {
    const owner = findControllerReference(claim);
    const made = claim.metadata.annotations?.["resource.kubernetes.io/extended-resource-claim"];
    if (made === "true" && owner?.kind === "Pod" && owner.uid === podUid) yield claim;
  }
}
