import type { Pod } from "#/api/core/v1.ts";
import type { ObservedPod } from "../state/observed-pod.ts";

/** The pods with a running container, with the fields that the runtime knows. */
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
