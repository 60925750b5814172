import { type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import { subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import type { View } from "../../base/view.ts";
import { isReady } from "../../facts/containers.ts";

/** The one before must be ready: it, not the StatefulSet, has the deeper cause. */
export const statefulSetOrder = cause<StatefulSet>({
  name: "statefulset-order",
  layer: "controllers",
  isFallback: true,
  of: [statefulSets],
  find(set, view) {
    const { spec, metadata } = set;
    const replicas = spec?.replicas ?? 1;
    if (spec?.podManagementPolicy === "Parallel") return undefined;
    const own = ownedPods(set, view);
    const blocker = own.find((pod) => !isReady(pod));
    if (!blocker || own.length >= replicas) return undefined;
    return {
      about: subjectOf(pods, blocker),
      sentence: `${metadata.name}-${own.length} and those after it wait until ${blocker.metadata.name} is ready (OrderedReady)`,
      evidence: [`${own.length} of ${replicas} Pods exist`],
      fix: [`kubectl why pod/${blocker.metadata.name}`],
    };
  },
});

function ownedPods(set: StatefulSet, view: View): readonly Pod[] {
  const { namespace } = set.metadata;
  return (view.list(pods, { namespace }) ?? []).filter((pod) => isControlledBy(pod, set));
}
