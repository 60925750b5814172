import type { Resource } from "#/api/base/resource.ts";
import {
  limitRanges,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
} from "#/api/core/v1.ts";
import type { ApiObject } from "../../../registry/strategy.ts";
import {
  type Admitted,
  admissionPlugin,
  type PluginServices,
} from "../../base/admission-plugin.ts";
import { listObjects } from "../../base/find-object.ts";
import { forbid, joinMessages } from "../../base/forbid.ts";
import { checkClaim, checkPod } from "./check-limits.ts";
import { applyDefaults } from "./default-resources.ts";

/**
 * Sets the default resources of a namespace's LimitRanges in containers without any, and keeps pods and claims within
 * the limits. Upstream: plugin/pkg/admission/limitranger/admission.go.
 */
export const limitRanger = admissionPlugin<ApiObject>({
  name: "LimitRanger",
  on: [pods, persistentVolumeClaims] as Resource<ApiObject>[],
  subresources: ["", "resize"],
  operations: ["CREATE", "UPDATE"],
  mutate(attributes, services) {
    if (attributes.resource.name !== "pods" || isIgnored(attributes)) return;
    const pod = attributes.object as unknown as Pod;
    for (const { spec } of rangesFor(attributes, services)) applyDefaults(pod, spec?.limits ?? []);
  },
  validate(attributes, services) {
    if (isIgnored(attributes)) return;
    const { object, resource } = attributes;
    for (const { spec } of rangesFor(attributes, services)) {
      const limits = spec?.limits ?? [];
      const problems =
        resource.name === "pods"
          ? checkPod(object as unknown as Pod, limits, services.enabled("PodLevelResources"))
          : checkClaim(object as unknown as PersistentVolumeClaim, limits);
      if (problems.length > 0) throw forbid(attributes, joinMessages(problems));
    }
  },
});

/** Pods change their resources only by resize; objects being deleted are not checked. */
function isIgnored({ operation, subresource, resource, oldObject }: Admitted<ApiObject>): boolean {
  if (oldObject?.metadata.deletionTimestamp !== undefined) return true;
  const resize = subresource === "resize";
  if (resource.name === "pods") return operation === "UPDATE" ? !resize : resize;
  return resize;
}

const rangesFor = ({ namespace }: Admitted<ApiObject>, { registry }: PluginServices) =>
  listObjects(registry, limitRanges, namespace);
