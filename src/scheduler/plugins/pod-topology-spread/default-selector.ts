import { replicaSets, statefulSets } from "#/api/apps/v1.ts";
import { type Pod, replicationControllers, services } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { type Selector, SelectorError, selectorFromLabels } from "#/machinery/meta/labels.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import type { PluginContext } from "../../framework/context.ts";

/** The objects whose selectors group pods. */
type OwnerListers = ReturnType<typeof ownerListers>;

export function ownerListers({ lister }: Pick<PluginContext, "lister">) {
  return {
    services: lister(services),
    replicationControllers: lister(replicationControllers),
    replicaSets: lister(replicaSets),
    statefulSets: lister(statefulSets),
  };
}

/**
 * A selector of the pods in the same group as a pod: those of its Services and of its controller.
 *
 * Upstream: pkg/scheduler/framework/plugins/helper/spread.go.
 */
export function defaultSelector(pod: Pod, owners: OwnerListers): Selector {
  const { namespace = "", labels } = pod.metadata;
  let own: Record<string, string> = {};
  for (const { spec } of owners.services.listNamespace(namespace)) {
    const selector = spec?.selector;
    if (selector === undefined) continue;
    if (selectorFromLabels(selector).matches(labels)) own = { ...own, ...selector };
  }
  const owner = findControllerReference(pod);
  if (owner?.apiVersion === "v1" && owner.kind === "ReplicationController") {
    const found = owners.replicationControllers.get(namespace, owner.name);
    return selectorFromLabels({ ...own, ...found?.spec?.selector });
  }
  const selector = selectorFromLabels(own);
  if (owner?.apiVersion !== "apps/v1") return selector;
  const set =
    owner.kind === "ReplicaSet"
      ? owners.replicaSets.get(namespace, owner.name)
      : owner.kind === "StatefulSet"
        ? owners.statefulSets.get(namespace, owner.name)
        : undefined;
  return set?.spec ? withRequirements(selector, set.spec.selector) : selector;
}

function withRequirements(selector: Selector, more: LabelSelector | undefined): Selector {
  try {
    return selector.add(...compileLabelSelector(more).requirements);
  } catch (error) {
    if (error instanceof SelectorError) return selector;
    throw error;
  }
}
