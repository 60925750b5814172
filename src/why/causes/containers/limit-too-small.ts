import { startCause } from "../../facts/start-failure.ts";

export const limitTooSmall = startCause({
  name: "memory-limit-too-small",
  texts:
    /memory limit too low|container init was OOM-killed|minimum memory limit|(?:memory|limit).*too (?:low|small)/i,
  explain: ({ container }) => ({
    sentence: `${container.label} cannot start: its memory limit of ${container.spec.resources?.limits?.["memory"] ?? "the Pod"} is too small even for its first process`,
    fix: ["# raise resources.limits.memory"],
  }),
});
