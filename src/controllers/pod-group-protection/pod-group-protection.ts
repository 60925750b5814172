/** Upstream: pkg/controller/scheduling/podgroupprotection. */
import { type Pod, pods } from "#/api/core/v1.ts";
import { type PodGroup, podGroups } from "#/api/scheduling/v1beta1.ts";
import { controller, watch } from "#/controller/controller.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { isFinished } from "../pods/pod-state.ts";

const finalizer = "scheduling.k8s.io/podgroup-protection";

/** Removes the finalizer of a deleted PodGroup when none of its Pods is left. */
export const podGroupProtectionController = controller<PodGroup, ManagerOptions>({
  name: "podgroup-protection-controller",
  for: podGroups,
  queue: "podgroupprotection",
  workers: 1,
  watches: [watch(pods, groupOf, { predicate: (now) => now === undefined || isFinished(now) })],
  async reconcile(group, { client, informers }) {
    const { finalizers = [], deletionTimestamp, namespace = "", name } = group.metadata;
    if (!deletionTimestamp || !finalizers.includes(finalizer)) return;
    const isUsed = informers
      .informer(pods)
      .store.listNamespace(namespace)
      .some((pod) => !isFinished(pod) && groupOf(pod).includes(`${namespace}/${name}`));
    if (isUsed) return;
    const others = finalizers.filter((one) => one !== finalizer);
    await client.update(podGroups, {
      ...group,
      metadata: { ...group.metadata, finalizers: others },
    });
  },
});

function groupOf({ metadata, spec }: Pod): string[] {
  const name = spec?.schedulingGroup?.podGroupName;
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}
