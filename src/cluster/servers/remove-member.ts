import { existsSync } from "node:fs";
import { join } from "node:path";
import { kubectl } from "../access/kubectl.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { EtcdMembers } from "../etcd/etcd-members.ts";
import { clientUrl, peerUrl } from "../etcd/member-launch.ts";
import { memberAddresses } from "./member-addresses.ts";

/** Removes this machine from the members of etcd, if it is one of several; returns whether it was. */
export async function removeOwnMember(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<boolean> {
  if (!existsSync(join(paths.pki, "apiserver-etcd-client.crt"))) return false;
  // The own member knows the others; they remain if it does not run.
  const addresses = [clientUrl(settings.nodeIp), ...memberAddresses(paths, settings)];
  using members = new EtcdMembers(paths, addresses);
  const all = await members.list();
  const own = all.find(({ peerUrls }) => peerUrls.includes(peerUrl(settings.nodeIp)));
  if (!own || all.length === 1) return false;
  await members.remove(own);
  return true;
}

/** Limit of the removal of the Node (s): a server is removed without it as well. */
const nodeLimit = "5s";

/** Takes a server that is removed for good out of its cluster, if that has others: its Node, and its member of etcd. */
export async function leaveServers(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const limit = `--request-timeout=${nodeLimit}`;
  await kubectl(paths, ["delete", "node", settings.nodeName, "--wait=false", limit]);
  await removeOwnMember(paths, settings).catch((error: Error) => {
    process.stderr.write(
      `k8ts: the other servers still have this one as a member of etcd: ${error.message}\n`,
    );
  });
}
