import type { Resource } from "#/api/base/resource.ts";
import { type Binding, nodes, type Pod, pods } from "#/api/core/v1.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { findObject } from "../base/find-object.ts";

const topologyLabels = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/**
 * Copies zone and region labels of the node to the pod.
 * Upstream: plugin/pkg/admission/podtopologylabels/admission.go.
 */
export const podTopologyLabels = admissionPlugin<ApiObject>({
  name: "PodTopologyLabels",
  on: pods as unknown as Resource<ApiObject>,
  subresources: ["", "binding"],
  operations: ["CREATE"],
  mutate({ object, subresource }, { registry, enabled }) {
    const nodeName = subresource === "" ? nodeOfPod(object) : nodeOfBinding(object);
    if (!nodeName || !enabled("PodTopologyLabelsAdmission")) return;
    const labels = findObject(registry, nodes, "", nodeName)?.metadata.labels;
    for (const key of topologyLabels) {
      const value = labels?.[key];
      if (value === undefined) continue;
      object.metadata.labels = { ...object.metadata.labels, [key]: value };
    }
  },
});

const nodeOfPod = (object: ApiObject): string | undefined =>
  (object as unknown as Pod).spec.nodeName;

function nodeOfBinding(object: ApiObject): string | undefined {
  const { target } = object as unknown as Binding;
  return target?.kind === "Node" ? target.name : undefined;
}
