import { type EphemeralContainer, type Pod, pods } from "#/api/core/v1.ts";
import { type Cause, cause } from "../../base/cause.ts";
import { isWell } from "../../facts/containers.ts";
import { containerCauses } from "../containers/index.ts";
import { imageCauses } from "../image/index.ts";

/** What keeps the containers of any Pod from starting. */
const startCauses: readonly Cause[] = [...imageCauses, ...containerCauses].filter(
  ({ group }) => group !== "crash",
);

/** A container of `kubectl debug` that does not start. The Pod itself goes on: it is no reason why that is stuck. */
export const ephemeralContainer = cause<Pod>({
  name: "ephemeral-container",
  layer: "containers",
  of: [pods],
  find(pod, view) {
    for (const container of pod.spec.ephemeralContainers ?? []) {
      const alone = onlyWith(container, pod);
      for (const { layer, find } of alone ? startCauses : []) {
        const found = alone && find(alone, view, pods);
        if (!found) continue;
        return {
          ...found,
          layer: found.layer ?? layer,
          severity: isWell(pod) ? "stuck" : "notice",
          sentence: `its ephemeral container "${container.name}" does not start: ${found.sentence}`,
          fix: [
            "# an ephemeral container can neither be changed nor removed: make another",
            `kubectl debug ${pod.metadata.name} -it --image=IMAGE -- sh`,
          ],
        };
      }
    }
    return undefined;
  },
});

/** A Pod with this container for its only one; undefined if that has no status that says more than that it begins. */
function onlyWith(container: EphemeralContainer, pod: Pod): Pod | undefined {
  const { initContainerStatuses: _, ephemeralContainerStatuses, ...status } = pod.status ?? {};
  const own = (ephemeralContainerStatuses ?? []).filter(({ name }) => name === container.name);
  if (own.every(({ state }) => !state?.waiting)) return undefined;
  const { initContainers: _init, ...spec } = pod.spec;
  return {
    ...pod,
    spec: { ...spec, containers: [container] },
    status: { ...status, phase: "Pending", conditions: [], containerStatuses: own },
  };
}
