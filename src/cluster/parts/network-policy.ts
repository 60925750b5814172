import { accessFile } from "../base/paths.ts";
import { logFlagsOf, type Part } from "./part.ts";

const name = "network-policy";

/** Enforces policies on each node; without any policy, it only waits for one. */
export const networkPolicy: Part = {
  name,
  summary: "the rules of network policies (no upstream flags)",
  load: () => import("#/policy/run.ts"),
  canBeDisabled: true,
  manifest: "network-policy.yaml",
  feature: {
    name: "network policy",
    resources: [],
    provider: (_objects, { disabled }) => (disabled.includes(name) ? undefined : name),
  },
  agent: {
    flags: ({ paths, settings }) => ({
      kubeconfig: accessFile(paths, "kubelet"),
      "node-name": settings.nodeName,
      ...logFlagsOf(settings),
    }),
    async run(args, signal) {
      const { start } = await import("#/policy/run.ts");
      await start(args, signal, { awaitsKubeconfig: true });
    },
    async cleanUp(_context, signal) {
      const { start } = await import("#/policy/run.ts");
      await start(["--cleanup"], signal);
    },
  },
};
