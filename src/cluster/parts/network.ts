import { accessFile } from "../base/paths.ts";
import { namespaceFile, planNamespace } from "../machine/network-namespace.ts";
import { logFlagsOf, type Part } from "./part.ts";

export const network: Part = {
  name: "network",
  summary: "the Pod network of a node (no upstream flags)",
  load: () => import("#/network/run.ts"),
  canBeDisabled: false,
  manifest: "network.yaml",
  agent: {
    flags: ({ paths, settings }) => ({
      kubeconfig: accessFile(paths, "kubelet"),
      "node-name": settings.nodeName,
      "cluster-cidr": settings.podCidr,
      "load-balancer-cidr": settings.lbPool,
      ...(settings.lbAnnounce ? { "load-balancer-announce": true } : {}),
      ...(settings.networkNamespace && settings.role === "server"
        ? { "load-balancer-routes-netns": namespaceFile(planNamespace(settings.name).machine) }
        : {}),
      "cni-conf-dir": paths.cni,
      "cni-data-dir": paths.cniData,
      "anti-spoofing": settings.antiSpoofing,
      ...logFlagsOf(settings),
    }),
    async run(args, signal) {
      const { start } = await import("#/network/run.ts");
      await start(args, signal, { awaitsKubeconfig: true });
    },
    async cleanUp({ paths }, signal) {
      const { start } = await import("#/network/run.ts");
      const cni = [`--cni-conf-dir=${paths.cni}`, `--cni-data-dir=${paths.cniData}`];
      await start([...cni, "--cleanup"], signal);
    },
  },
};
