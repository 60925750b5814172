import type { Pod } from "#/api/core/v1.ts";
import type { ObservedPod } from "../state/observed-pod.ts";

/** The pods of which a container runs, as far as the runtime knows them. */
export function runningPods(observed: readonly ObservedPod[]): Pod[] {
  return observed.flatMap(({ uid, name, namespace, containers }) => {
    const running = containers.filter(({ state }) => state === "running");
    if (running.length === 0) return [];
    return [
      {
        metadata: { name, namespace, uid },
        spec: { containers: running.map(({ name, image }) => ({ name, image })) },
        status: {},
      },
    ];
  });
}
