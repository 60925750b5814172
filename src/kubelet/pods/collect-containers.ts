/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_gc.go. */
import type { Clock } from "#/std/time/clock.ts";
import type { Cri } from "../cri/runtime-service.ts";
import { type CollectionPolicy, planCollection } from "../eviction/container-collection.ts";
import type { Directories } from "../state/directories.ts";
import type { PodView } from "../state/pod-view.ts";
import { collectLogs } from "./log-collection.ts";
import { removeContainer } from "./sync-pod.ts";

interface ContainerCollectionOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly directories: Pick<Directories, "podLogs">;
  readonly pods: Pick<
    PodView,
    "allObserved" | "isComplete" | "mayRemoveContainers" | "mayRemoveContent"
  >;
  readonly policy: CollectionPolicy;
}

/** Removes dead containers and sandboxes, and logs of removed pods, once. */
export async function collectContainers(options: ContainerCollectionOptions): Promise<void> {
  const { cri, clock, directories, pods, policy } = options;
  const observed = pods.allObserved();
  const plan = planCollection(observed, pods, policy, clock.now());
  const dead = new Set(plan.containers);
  for (const container of observed.flatMap(({ containers }) => containers)) {
    if (dead.has(container.id)) await removeContainer({ cri }, container);
  }
  for (const podSandboxId of plan.sandboxes) {
    await cri.runtime.StopPodSandbox({ podSandboxId });
    await cri.runtime.RemovePodSandbox({ podSandboxId });
  }
  if (!pods.isComplete) return;
  const { podLogs } = directories;
  await collectLogs({ podLogs, mayRemoveContent: (uid) => pods.mayRemoveContent(uid) });
}
