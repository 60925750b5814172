import { type ClusterSettings, serverPort, serverUrl } from "../base/settings.ts";
import { defaultPools, placeOf } from "./up-settings.ts";

interface RestorePlace {
  /** The name of the cluster in this place. */
  readonly name: string;
  /** The settings of the cluster that is there, if any. */
  readonly present: ClusterSettings | undefined;
  /** The pools of load balancers of the other clusters of the machine. */
  readonly pools: readonly string[];
}

/**
 * The settings of a snapshot for the place where it is restored: a cluster with another name has another network. It has
 * the embedded store, from which it can be moved to an etcd again.
 */
export function restoredSettings(
  saved: ClusterSettings,
  { name, present, pools }: RestorePlace,
): ClusterSettings {
  const { etcd: _etcd, ...embedded } = saved;
  const settings = { ...embedded, name, kubeconfigs: present?.kubeconfigs ?? [] };
  if (saved.name === name) return settings;
  const { networkNamespace: _, otherNodeIp: __, ...rest } = settings;
  const place = placeOf({ name, "node-ip": "", "pod-network-cidr": saved.podCidr });
  return {
    ...rest,
    ...place,
    server: serverUrl(place.nodeIp, serverPort(saved.server)),
    lbPool: defaultPools(name, saved.podCidr, pools),
  };
}
