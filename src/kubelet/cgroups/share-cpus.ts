import { logger } from "#/std/log/log.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { PodAccess } from "../state/pod-access.ts";
import type { ExclusiveCpus } from "./exclusive-cpus.ts";

const log = logger("cpus");

interface ShareCpusOptions {
  readonly cpus: ExclusiveCpus;
  readonly runtime: Pick<RuntimeService, "UpdateContainerResources">;
  readonly pods: PodAccess;
}

/** Keeps containers without exclusive processors off the exclusive processors of others. */
export function shareCpus(options: ShareCpusOptions): Disposable {
  let turn = Promise.resolve();
  return options.cpus.subscribe(() => {
    turn = turn
      .then(() => update(options))
      .catch((error: unknown) => {
        log.error(error, "failed to move containers to the shared processors");
      });
  });
}

async function update({ cpus, runtime, pods }: ShareCpusOptions): Promise<void> {
  for (const observed of pods.allObserved()) {
    const pod = pods.findByUID(observed.uid);
    for (const { id, name, state } of observed.containers) {
      const spec = pod?.spec.containers.find((one) => one.name === name);
      if (state !== "running" || pod === undefined) continue;
      const { cpus: cpusetCpus, exclusive } = cpus.cpusFor(pod, spec ?? { name });
      if (!exclusive)
        await runtime.UpdateContainerResources({ containerId: id, linux: { cpusetCpus } });
    }
  }
}
