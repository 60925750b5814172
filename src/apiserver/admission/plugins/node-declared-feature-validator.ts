import { nodes, type Pod, type PodSpec, pods } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { table } from "#/std/base/table.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type Admitted, admissionPlugin } from "../base/admission-plugin.ts";
import { findObject } from "../base/find-object.ts";
import { forbid } from "../base/forbid.ts";

/** Features that a change of a running pod requires of its node, by name. */
const requirements: Readonly<Record<string, (spec: PodSpec, old: PodSpec) => boolean>> = table({
  InPlacePodLevelResourcesVerticalScaling: (spec, old) => !deepEqual(spec.resources, old.resources),
  InPlacePodVerticalScalingInitContainers: resizesInitContainer,
  InPlacePodVerticalScalingMemoryBackedVolumes: resizesMemoryVolume,
});

/**
 * Refuses changes of a running pod that its node does not support.
 * Upstream: plugin/pkg/admission/nodedeclaredfeatures/admission.go,
 * staging/src/k8s.io/component-helpers/nodedeclaredfeatures.
 */
export const nodeDeclaredFeatureValidator = admissionPlugin({
  name: "NodeDeclaredFeatureValidator",
  on: pods,
  subresources: ["", "resize"],
  operations: ["UPDATE"],
  validate(attributes, { registry }) {
    const { object: pod, oldObject } = attributes;
    const { nodeName } = pod.spec;
    if (!nodeName || !oldObject) return;
    if (oldObject.metadata.generation === pod.metadata.generation) return;
    const needed = neededFeatures(attributes);
    if (needed.length === 0) return;
    const node = findObject(registry, nodes, "", nodeName);
    if (!node) throw forbid(attributes, `node ${goQuote(nodeName)} not found`);
    const declared = new Set(node.status?.declaredFeatures);
    const missing = needed.filter((feature) => !declared.has(feature));
    if (missing.length === 0) return;
    throw forbid(
      attributes,
      `pod update requires features ${missing.join(", ")} which are not available on node ${goQuote(nodeName)}`,
    );
  },
});

function neededFeatures({ object, oldObject }: Admitted<Pod>): string[] {
  if (!oldObject) return [];
  return Object.entries(requirements)
    .filter(([, isNeeded]) => isNeeded(object.spec, oldObject.spec))
    .map(([feature]) => feature);
}

function resizesInitContainer(spec: PodSpec, old: PodSpec): boolean {
  return (old.initContainers ?? []).some(
    ({ restartPolicy, resources }, index) =>
      restartPolicy !== "Always" && !deepEqual(resources, spec.initContainers?.[index]?.resources),
  );
}

function resizesMemoryVolume(spec: PodSpec, old: PodSpec): boolean {
  const { volumes = [] } = spec;
  if (volumes.length !== (old.volumes?.length ?? 0)) return false;
  return volumes.some(({ name, emptyDir }, index) => {
    const before = old.volumes?.[index];
    if (before?.name !== name || emptyDir?.medium !== "Memory") return false;
    const { sizeLimit } = emptyDir;
    const oldLimit = before.emptyDir?.sizeLimit;
    if (sizeLimit === undefined || oldLimit === undefined) return false;
    return !parseQuantity(String(sizeLimit)).equals(parseQuantity(String(oldLimit)));
  });
}
