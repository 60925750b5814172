import { ownCommand } from "../base/own-command.ts";
import type { ClusterSettings } from "../base/settings.ts";
import type { EtcdMember } from "../etcd/cluster-service.ts";
import { peerUrl } from "../etcd/member-launch.ts";

/** What to do about a server that the others no longer have; undefined if they have it. Pure. */
export function removalProblem(
  members: readonly EtcdMember[],
  { name, nodeName, nodeIp }: Pick<ClusterSettings, "name" | "nodeName" | "nodeIp">,
): string | undefined {
  const has = members.some(
    (member) => member.name === nodeName || member.peerUrls.includes(peerUrl(nodeIp)),
  );
  if (has) return undefined;
  const others = members.map((member) => member.name).join(", ");
  return `this server was removed from its cluster, which goes on as ${others}; remove what is left here: ${ownCommand("down --purge", name)}, then join again: ${ownCommand("token create --server")} on one of them`;
}
