import { type DeviceLookups, deviceClaimEvaluator } from "./device-claim-evaluator.ts";
import { podEvaluator } from "./pod-evaluator.ts";
import { objectCountEvaluator, objectCountName, type QuotaEvaluator } from "./quota-evaluator.ts";
import { serviceEvaluator } from "./service-evaluator.ts";
import { volumeClaimEvaluator } from "./volume-claim-evaluator.ts";

/** Resources whose count can also be limited under the bare resource name. */
const countedByName = ["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];

/** Resources that are never counted: they are not stored, or too short-lived. */
const ignored = new Set([
  "/bindings",
  "/componentstatuses",
  "authentication.k8s.io/tokenreviews",
  "authentication.k8s.io/selfsubjectreviews",
  "authorization.k8s.io/subjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "/events",
  "events.k8s.io/events",
]);

/** Finds the evaluator of a resource; undefined if it is never counted. */
export type FindEvaluator = (group: string, resource: string) => QuotaEvaluator | undefined;

/** All evaluators. Upstream: pkg/quota/v1/install/registry.go. */
export function quotaEvaluators(lookups: DeviceLookups): FindEvaluator {
  const own: ReadonlyMap<string, QuotaEvaluator> = new Map<string, QuotaEvaluator<never>>([
    ["/pods", podEvaluator(() => lookups.now())],
    ["/services", serviceEvaluator],
    ["/persistentvolumeclaims", volumeClaimEvaluator],
    ["resource.k8s.io/resourceclaims", deviceClaimEvaluator(lookups)],
    ...countedByName.map(
      (name) => [`/${name}`, objectCountEvaluator([objectCountName("", name), name])] as const,
    ),
  ]) as ReadonlyMap<string, QuotaEvaluator>;
  return (group, resource) => {
    const path = `${group}/${resource}`;
    if (ignored.has(path)) return undefined;
    return own.get(path) ?? objectCountEvaluator([objectCountName(group, resource)]);
  };
}
