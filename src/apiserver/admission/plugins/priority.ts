import type { Resource } from "#/api/base/resource.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { type PriorityClass, priorityClasses } from "#/api/scheduling/v1.ts";
import type { Attributes } from "../../registry/admission.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { type Admitted, admissionPlugin, type PluginServices } from "../base/admission-plugin.ts";
import { findObject, listObjects } from "../base/find-object.ts";
import { forbid } from "../base/forbid.ts";

/** Pod groups of any version, and groups of groups. */
interface Group {
  spec?: { priority?: number; priorityClassName?: string; preemptionPolicy?: string };
}

interface Rank {
  readonly name: string;
  readonly priority: number;
  readonly preemptionPolicy: string | undefined;
}

const groups = "podgroups";
const compositeGroups = "compositepodgroups";
const schedulingGroup = "scheduling.k8s.io";

/**
 * Resolves the name of a PriorityClass, and refuses a second default class.
 * Upstream: plugin/pkg/admission/priority/admission.go.
 */
export const priority = admissionPlugin<ApiObject>({
  name: "Priority",
  on: [
    pods,
    priorityClasses,
    { group: schedulingGroup, name: groups },
    { group: schedulingGroup, name: compositeGroups },
  ] as Resource<ApiObject>[],
  operations: ["CREATE", "UPDATE"],
  mutate(attributes, services) {
    const { resource, operation } = attributes;
    const created = operation === "CREATE";
    if (resource.name === "pods") {
      const request = attributes as unknown as Admitted<Pod>;
      return created ? rankPod(request, services) : keepRank(request);
    }
    if (!created) return;
    if (resource.name === groups && services.enabled("GenericWorkload")) {
      rankGroup(attributes as Admitted<Group>, services, "pod group");
    }
    if (resource.name === compositeGroups && services.enabled("CompositePodGroup")) {
      rankGroup(attributes as Admitted<Group>, services, "composite pod group");
    }
  },
  validate(attributes, { registry }) {
    const { resource, operation, object } = attributes;
    const { globalDefault } = object as unknown as PriorityClass;
    if (resource.name !== "priorityclasses" || !globalDefault) return;
    const name = findDefault(registry)?.metadata?.name;
    if (name === undefined || (operation === "UPDATE" && name === object.metadata.name)) return;
    throw forbid(
      attributes,
      `PriorityClass ${name} is already marked as default. Only one default can exist`,
    );
  },
});

function keepRank({ object: { spec }, oldObject }: Admitted<Pod>): void {
  if (spec.priority === undefined && oldObject?.spec.priority !== undefined) {
    spec.priority = oldObject.spec.priority;
  }
  if (spec.preemptionPolicy === undefined && oldObject?.spec.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = oldObject.spec.preemptionPolicy;
  }
}

function rankPod(attributes: Admitted<Pod>, { registry }: PluginServices): void {
  const { spec } = attributes.object;
  const rank = rankOf(attributes, registry, spec.priorityClassName);
  if (rank.name !== "") spec.priorityClassName = rank.name;
  if (spec.priority !== undefined && spec.priority !== rank.priority) {
    throw forbid(
      attributes,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${rank.priority} from the given PriorityClass name`,
    );
  }
  spec.priority = rank.priority;
  if (rank.preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== rank.preemptionPolicy) {
    throw forbid(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${rank.preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = rank.preemptionPolicy as NonNullable<typeof spec.preemptionPolicy>;
}

function rankGroup(
  attributes: Admitted<Group>,
  { registry, enabled }: PluginServices,
  noun: string,
): void {
  attributes.object.spec ??= {};
  const { spec } = attributes.object;
  const rank = rankOf(attributes, registry, spec.priorityClassName);
  if (spec.priority !== undefined && spec.priority !== rank.priority) {
    throw forbid(
      attributes,
      `priority set in the ${noun} (${spec.priority}) must match the priority computed (${rank.priority}) based on the priority class set in the spec`,
    );
  }
  spec.priority = rank.priority;
  if (rank.name !== "") spec.priorityClassName = rank.name;
  if (!enabled("PodGroupPreemptionPolicy") || rank.preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== rank.preemptionPolicy) {
    throw forbid(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in ${noun} spec; priority admission controller computed ${rank.preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = rank.preemptionPolicy;
}

function rankOf(
  attributes: Pick<Attributes, "resource" | "name" | "object">,
  registry: Registry,
  name: string | undefined,
): Rank {
  const found = name ? findObject(registry, priorityClasses, "", name) : findDefault(registry);
  if (found) {
    const { metadata, value, preemptionPolicy } = found;
    return { name: metadata?.name ?? "", priority: value ?? 0, preemptionPolicy };
  }
  if (name) throw forbid(attributes, `no PriorityClass with name ${name} was found`);
  return { name: "", priority: 0, preemptionPolicy: "PreemptLowerPriority" };
}

/** The default class; the lowest if a race has made several. */
function findDefault(registry: Registry): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const candidate of listObjects(registry, priorityClasses)) {
    if (!candidate.globalDefault) continue;
    if (!lowest || (candidate.value ?? 0) < (lowest.value ?? 0)) lowest = candidate;
  }
  return lowest;
}
