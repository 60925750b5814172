import { pods, type Toleration } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { sameToleration } from "#/machinery/pods/tolerations.ts";
import { isExtendedResource } from "../../resources/rules/resource-names.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";

/**
 * Adds tolerations for nodes dedicated to the extended resources that a pod requests.
 * Upstream: plugin/pkg/admission/extendedresourcetoleration/admission.go.
 */
export const extendedResourceToleration = admissionPlugin({
  name: "ExtendedResourceToleration",
  offByDefault: true,
  on: pods,
  operations: ["CREATE", "UPDATE"],
  mutate({ object: { spec } }) {
    const names = [...spec.containers, ...(spec.initContainers ?? [])]
      .flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
      .filter(isExtendedResource);
    for (const key of [...new Set(names)].sort()) {
      const toleration: Toleration = { key, operator: "Exists", effect: "NoSchedule" };
      spec.tolerations = withToleration(spec.tolerations ?? [], toleration);
    }
  },
});

/** The tolerations with one added, or replacing the same one with other seconds. */
function withToleration(tolerations: Toleration[], added: Toleration): Toleration[] {
  const at = tolerations.findIndex((toleration) => sameToleration(toleration, added));
  if (at < 0) return [...tolerations, added];
  return deepEqual(tolerations[at], added) ? tolerations : tolerations.with(at, added);
}
