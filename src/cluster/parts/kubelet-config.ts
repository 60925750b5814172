import { join } from "node:path";
import { familiesOf } from "../base/address-families.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { dnsAddress } from "../base/service-addresses.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { type NodeCgroup, nodeCgroup } from "../machine/node-cgroup.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { endpointOf } from "../runtimes/own-runtime.ts";

/** The name of the kubelet's configuration file, in the folder of configurations. */
export const kubeletFileName = "kubelet.json";

/** The path of the kubelet's configuration file. */
export const kubeletConfigFile = (paths: ClusterPaths): string =>
  join(paths.config, kubeletFileName);

/** The folder of a user's own settings for the kubelet: files that end with .conf, read after its configuration. */
export const kubeletDropIns = (paths: ClusterPaths): string => join(paths.config, "kubelet.d");

/** The machine's facts in a node's configuration; looked up if undefined. */
interface MachineFacts {
  readonly resolvConf: string;
  readonly cgroup: NodeCgroup;
}

/** The text of a node's configuration file; JSON is YAML. */
export const kubeletText = (...node: Parameters<typeof kubeletConfig>): string =>
  `${JSON.stringify(kubeletConfig(...node), undefined, 2)}\n`;

/** The KubeletConfiguration of a node. */
export function kubeletConfig(
  paths: ClusterPaths,
  settings: ClusterSettings,
  machine: Partial<MachineFacts> = {},
): object {
  const { resolvConf = findResolvConf(), cgroup = nodeCgroup(settings) } = machine;
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    // All addresses of both families, as Go's programs understand 0.0.0.0.
    ...(familiesOf(settings.podCidr).includes(6) ? { address: "::" } : {}),
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
}

/** The certificate of the server's own node is made with the server's; other nodes request theirs. */
function servingCertificate(paths: ClusterPaths, { role }: ClusterSettings) {
  if (role === "agent") return { serverTLSBootstrap: true };
  const [tlsCertFile, tlsPrivateKeyFile] = ["crt", "key"].map((extension) =>
    join(paths.pki, `kubelet-server.${extension}`),
  );
  return { tlsCertFile, tlsPrivateKeyFile };
}
