import { join } from "node:path";
import { dnsAddress } from "./component-flags.ts";
import type { ClusterPaths } from "./paths.ts";
import { findResolvConf } from "./resolv-conf.ts";
import type { ClusterSettings } from "./settings.ts";

/** The KubeletConfiguration of a node; JSON is YAML. */
export function kubeletConfig(
  paths: ClusterPaths,
  settings: ClusterSettings,
  resolvConf = findResolvConf(),
): string {
  const configuration = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    failCgroupV1: false,
    failSwapOn: false,
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${cgroupName(settings.name, settings.nodeName)}`,
    containerRuntimeEndpoint: settings.runtimeEndpoint ?? `unix://${paths.containerdSocket}`,
    clusterDNS: [dnsAddress(settings.serviceCidr)],
    clusterDomain: settings.clusterDomain,
    resolvConf,
    podLogsDir: paths.podLogs,
    staticPodPath: join(paths.config, "static-pods"),
    rotateCertificates: true,
    serverTLSBootstrap: true,
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

/** The cgroup under which a node has its pods: its own, so that nodes on one machine don't meet. */
export const cgroupName = (cluster: string, node: string): string => `${cluster}-${node}`;
