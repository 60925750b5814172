import { podGroups } from "#/api/scheduling/v1beta1.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";

const finalizer = "scheduling.k8s.io/podgroup-protection";

/** Adds a finalizer to pod groups. Upstream: plugin/pkg/admission/scheduling/podgroupprotection/admission.go. */
export const podGroupProtection = admissionPlugin({
  name: "PodGroupProtection",
  on: podGroups,
  operations: ["CREATE"],
  mutate({ object: { metadata } }, { enabled }) {
    if (!enabled("GenericWorkload") || metadata.finalizers?.includes(finalizer)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
});
