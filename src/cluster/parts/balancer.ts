import { join } from "node:path";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { balancerPort, localPortUrl, serverPort } from "../base/settings.ts";
import { logFlagsOf, type Part } from "./part.ts";

/** Where the balancer keeps the servers that it knows. */
export const knownServersFile = (paths: ClusterPaths): string => join(paths.config, "servers.json");

/** The way of a node to the servers: each of them, whichever works. */
export const balancer: Part = {
  name: "balancer",
  summary: "from a node to the servers (no upstream flags)",
  load: () => import("#/balancer/run.ts"),
  canBeDisabled: false,
  agent: {
    flags: ({ paths, settings }) => ({
      kubeconfig: accessFile(paths, "kubelet"),
      "certificate-authority": join(paths.pki, "ca.crt"),
      ...(settings.role === "server"
        ? { "own-server": localPortUrl(serverPort(settings.server)) }
        : { server: settings.server }),
      "servers-file": knownServersFile(paths),
      port: balancerPort,
      ...logFlagsOf(settings),
    }),
    async run(args, signal) {
      const { start } = await import("#/balancer/run.ts");
      await start(args, signal, { awaitsKubeconfig: true });
    },
  },
};
