import { join } from "node:path";
import { type EtcdSettings, etcdClientPort } from "./etcd-settings.ts";
import type { ClusterPaths } from "./paths.ts";
import { serverUrl } from "./settings.ts";

/** How a server reaches its etcd: that of the user, or its own member, which is at this address of the machine. */
export function etcdAccess({ pki }: ClusterPaths, etcd: EtcdSettings, ownAddress: string) {
  const { servers, caFile, certFile, keyFile } = etcd;
  if (servers) return { servers, caFile, certFile, keyFile };
  return {
    servers: [serverUrl(ownAddress, etcdClientPort)],
    caFile: join(pki, "etcd/ca.crt"),
    certFile: join(pki, "apiserver-etcd-client.crt"),
    keyFile: join(pki, "apiserver-etcd-client.key"),
  };
}
