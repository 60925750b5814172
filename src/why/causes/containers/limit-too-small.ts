import type { PodSpec } from "#/api/core/v1.ts";
import type { ContainerFacts } from "../../facts/containers.ts";
import { startCause } from "../../facts/start-failure.ts";

export const limitTooSmall = startCause({
  name: "memory-limit-too-small",
  texts:
    /memory limit too low|unable to set memory limit|container init was OOM-killed|minimum memory limit|(?:memory|limit).*too (?:low|small)/i,
  explain: ({ container }, _match, { spec }) => ({
    sentence: `${container.label} cannot start: its memory limit of ${container.spec.resources?.limits?.["memory"] ?? "the Pod"} is too small even for its first process${memoryVolumeText(container, spec)}`,
    fix: ["# raise resources.limits.memory"],
  }),
});

/** Files of a volume in memory count, and stay when the container ends. */
function memoryVolumeText({ spec }: ContainerFacts, { volumes = [] }: PodSpec): string {
  const found = volumes.find(
    ({ name, emptyDir }) =>
      emptyDir?.medium === "Memory" && (spec.volumeMounts ?? []).some((one) => one.name === name),
  );
  return found ? `, or the files in its volume "${found.name}", which is in memory, use it up` : "";
}
