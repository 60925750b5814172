import { lookup } from "node:dns/promises";
import { kubectl } from "../access/kubectl.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import { agentServerFor, type ClusterSettings } from "../base/settings.ts";
import { isHere, ownNetworks, reachHints } from "../machine/namespace-reach.ts";

/** Prints which nodes of the cluster can't reach each other. */
export async function reportReach(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const { role } = settings;
  const access =
    role === "server"
      ? [`--kubeconfig=${accessFile(paths, "admin")}`]
      : [`--kubeconfig=${accessFile(paths, "kubelet")}`, `--server=${agentServerFor(settings)}`];
  const address = '.status.addresses[?(@.type=="InternalIP")].address';
  const { code, out } = await kubectl(paths, [
    ...access,
    "get",
    "nodes",
    `-o=jsonpath={range .items[*]}{.metadata.name} {${address}}{"\\n"}{end}`,
  ]);
  if (code !== 0) return;
  const nodes = out
    .split("\n")
    .map((line) => line.split(" "))
    .flatMap(([name, ip]) => (name && ip ? [{ name, address: ip }] : []));
  for (const line of reachHints(nodes, ownNetworks())) progress.print(line);
}

/** A node in a network namespace can only belong to a server of the same machine: other machines can't reach it. */
export async function checkReach({ networkNamespace, server }: ClusterSettings): Promise<void> {
  if (!networkNamespace) return;
  const { hostname } = new URL(server);
  const { address } = await lookup(hostname).catch(() => ({ address: hostname }));
  if (isHere(address, ownNetworks())) return;
  throw new CommandFailure(
    `with --name the node would be in a network namespace, which ${hostname} does not reach; leave out --name`,
  );
}
