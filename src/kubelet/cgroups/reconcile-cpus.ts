/** Upstream: pkg/kubelet/cm/cpumanager/cpu_manager.go (reconcileState). */
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { PodAccess } from "../state/pod-access.ts";
import type { ExclusiveCpus } from "./exclusive-cpus.ts";

const log = logger("cpus");

interface ReconcileCpusOptions {
  readonly cpus: Pick<ExclusiveCpus, "cpusFor" | "keepOnly" | "subscribe">;
  readonly runtime: Pick<RuntimeService, "UpdateContainerResources">;
  readonly pods: Pick<PodAccess, "allObserved" | "findByUID" | "pods"> & {
    /** True once all desired pods are known. */
    readonly isComplete: boolean;
  };
  readonly clock: Clock;
  /** `cpuManagerReconcilePeriod`. */
  readonly everyMs: number;
}

/**
 * Keeps running containers on their processors, when these change and periodically, until the signal aborts; releases
 * those of pods that no longer exist.
 */
export async function reconcileCpus(
  options: ReconcileCpusOptions,
  signal: AbortSignal,
): Promise<void> {
  const { cpus, clock, everyMs } = options;
  /** The processors that each container was last moved to. */
  const applied = new Map<string, string>();
  const failed = (error: unknown) => log.error(error, "failed to reconcile CPU assignments");
  let turn = Promise.resolve();
  const reconcile = (): Promise<void> => {
    turn = turn.then(() => moveContainers(options, applied)).catch(failed);
    return turn;
  };
  using _changes = cpus.subscribe(() => void reconcile());
  const work = async () => {
    releaseStale(options);
    await reconcile();
  };
  await repeat(work, { clock, everyMs, failed }, signal);
}

function releaseStale({ cpus, pods }: ReconcileCpusOptions): void {
  if (!pods.isComplete) return;
  const desired = pods.pods().map(({ metadata }) => metadata.uid ?? "");
  const observed = pods.allObserved().map(({ uid }) => uid);
  cpus.keepOnly(new Set([...desired, ...observed]));
}

async function moveContainers(
  { cpus, runtime, pods }: ReconcileCpusOptions,
  applied: Map<string, string>,
): Promise<void> {
  const running = new Set<string>();
  for (const observed of pods.allObserved()) {
    const pod = pods.findByUID(observed.uid);
    if (!pod) continue;
    for (const { id, name, state } of observed.containers) {
      if (state !== "running") continue;
      running.add(id);
      const spec = pod.spec.containers.find((one) => one.name === name);
      const { cpus: cpusetCpus } = cpus.cpusFor(pod, spec ?? { name });
      if (cpusetCpus === "" || applied.get(id) === cpusetCpus) continue;
      try {
        await runtime.UpdateContainerResources({ containerId: id, linux: { cpusetCpus } });
        applied.set(id, cpusetCpus);
      } catch (error) {
        log.error(error, "failed to update the CPUs of a container", { containerID: id });
      }
    }
  }
  for (const id of applied.keys()) if (!running.has(id)) applied.delete(id);
}
