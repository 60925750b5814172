import { podLimits } from "../../facts/pod-limits.ts";
import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const sandboxMemory = sandboxCause({
  name: "pod-memory-limit-too-small",
  layer: "containers",
  texts: /memory limit too low|OOM-killed|oom.?kill|cannot allocate memory/i,
  explain: (_match, pod) => ({
    sentence: `the memory limit of the Pod (${podLimits(pod, "memory")}) is too small even for its sandbox`,
    fix: ["# raise resources.limits.memory"],
  }),
});
