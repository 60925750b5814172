import { existsSync } from "node:fs";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { agentServer } from "../base/settings.ts";
import { editKubeconfig } from "./edit-kubeconfig.ts";
import { withServer } from "./user-kubeconfig.ts";

/** Makes the programs of a joined node reach the servers by the balancer: an earlier version had the address of one server. */
export async function useBalancer(paths: ClusterPaths): Promise<void> {
  for (const who of ["kubelet", "bootstrap-kubelet"]) {
    const file = accessFile(paths, who);
    if (existsSync(file)) await editKubeconfig(file, (config) => withServer(config, agentServer));
  }
}
