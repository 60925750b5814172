import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { dnsAddress } from "../base/service-addresses.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { type NodeCgroup, nodeCgroup } from "../machine/node-cgroup.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { endpointOf } from "../runtimes/own-runtime.ts";

/** The path of the kubelet's configuration file. */
export const kubeletConfigFile = (paths: ClusterPaths): string =>
  join(paths.config, "kubelet.json");

/** The folder of a user's own settings for the kubelet: files that end with .conf, read after its configuration. */
export const kubeletDropIns = (paths: ClusterPaths): string => join(paths.config, "kubelet.d");

/** The machine's facts in a node's configuration; looked up if undefined. */
interface MachineFacts {
  readonly resolvConf: string;
  readonly cgroup: NodeCgroup;
}

/** The KubeletConfiguration of a node; JSON is YAML. */
export function kubeletConfig(
  paths: ClusterPaths,
  settings: ClusterSettings,
  machine: Partial<MachineFacts> = {},
): string {
  const { resolvConf = findResolvConf(), cgroup = nodeCgroup(settings) } = machine;
  const configuration = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    failCgroupV1: false,
    failSwapOn: false,
    cgroupDriver: cgroup.driver,
    cgroupRoot: cgroup.root,
    containerRuntimeEndpoint: endpointOf(paths, settings),
    clusterDNS: [dnsAddress(settings.serviceCidr)],
    clusterDomain: settings.clusterDomain,
    resolvConf,
    podLogsDir: paths.podLogs,
    staticPodPath: join(paths.config, "static-pods"),
    rotateCertificates: true,
    ...servingCertificate(paths, settings),
    serializeImagePulls: false,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(paths.pki, "ca.crt") },
    },
    authorization: { mode: "Webhook" },
  };
  return `${JSON.stringify(configuration, undefined, 2)}\n`;
}

/** The certificate of the server's own node is made with the server's; other nodes request theirs. */
function servingCertificate(paths: ClusterPaths, { role }: ClusterSettings) {
  if (role === "agent") return { serverTLSBootstrap: true };
  const [tlsCertFile, tlsPrivateKeyFile] = ["crt", "key"].map((extension) =>
    join(paths.pki, `kubelet-server.${extension}`),
  );
  return { tlsCertFile, tlsPrivateKeyFile };
}
