import type { DetectLocalMode } from "../base/local-detector.ts";

/**
 * kube-proxy's configuration file, kubeproxy.config.k8s.io/v1alpha1, with every value set.
 * Durations are texts, as in the file.
 * Upstream: staging/src/k8s.io/kube-proxy/config/v1alpha1/types.go.
 */
export interface KubeProxyConfiguration {
  apiVersion: string;
  kind: string;
  featureGates: Record<string, boolean>;
  clientConnection: ClientConnection;
  logging: Record<string, unknown>;
  hostnameOverride: string;
  bindAddress: string;
  healthzBindAddress: string;
  metricsBindAddress: string;
  bindAddressHardFail: boolean;
  enableProfiling: boolean;
  showHiddenMetricsForVersion: string;
  mode: string;
  iptables: {
    masqueradeBit: number;
    masqueradeAll: boolean;
    localhostNodePorts: boolean;
    syncPeriod: string;
    minSyncPeriod: string;
  };
  ipvs: {
    syncPeriod: string;
    minSyncPeriod: string;
    scheduler: string;
    excludeCIDRs: string[];
    strictARP: boolean;
    tcpTimeout: string;
    tcpFinTimeout: string;
    udpTimeout: string;
  };
  nftables: {
    masqueradeBit: number;
    masqueradeAll: boolean;
    syncPeriod: string;
    minSyncPeriod: string;
  };
  detectLocalMode: DetectLocalMode | "";
  detectLocal: { bridgeInterface: string; interfaceNamePrefix: string };
  /** One or, for both families, two networks separated by a comma. */
  clusterCIDR: string;
  nodePortAddresses: string[];
  oomScoreAdj: number;
  conntrack: {
    maxPerCore: number;
    min: number;
    tcpEstablishedTimeout: string;
    tcpCloseWaitTimeout: string;
    tcpBeLiberal: boolean;
    udpTimeout: string;
    udpStreamTimeout: string;
  };
  configSyncPeriod: string;
  portRange: string;
}

/** Connection to the API server. */
interface ClientConnection {
  kubeconfig: string;
  acceptContentTypes: string;
  contentType: string;
  qps: number;
  burst: number;
}

/** The default configuration. Upstream: pkg/proxy/apis/config/v1alpha1/defaults.go. */
export function defaultConfiguration(): KubeProxyConfiguration {
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    featureGates: {},
    clientConnection: {
      kubeconfig: "",
      acceptContentTypes: "",
      contentType: "application/vnd.kubernetes.protobuf",
      qps: 5,
      burst: 10,
    },
    logging: {},
    hostnameOverride: "",
    bindAddress: "0.0.0.0",
    healthzBindAddress: "",
    metricsBindAddress: "",
    bindAddressHardFail: false,
    enableProfiling: false,
    showHiddenMetricsForVersion: "",
    mode: "",
    ...modeDefaults(),
    detectLocalMode: "",
    detectLocal: { bridgeInterface: "", interfaceNamePrefix: "" },
    clusterCIDR: "",
    nodePortAddresses: [],
    oomScoreAdj: -999,
    conntrack: {
      maxPerCore: 32_768,
      min: 131_072,
      tcpEstablishedTimeout: "24h0m0s",
      tcpCloseWaitTimeout: "1h0m0s",
      tcpBeLiberal: false,
      udpTimeout: "0s",
      udpStreamTimeout: "0s",
    },
    configSyncPeriod: "15m0s",
    portRange: "",
  };
}

function modeDefaults(): Pick<KubeProxyConfiguration, "iptables" | "ipvs" | "nftables"> {
  const periods = { syncPeriod: "30s", minSyncPeriod: "1s" };
  return {
    iptables: { masqueradeBit: 14, masqueradeAll: false, localhostNodePorts: true, ...periods },
    nftables: { masqueradeBit: 14, masqueradeAll: false, ...periods },
    ipvs: {
      syncPeriod: "30s",
      minSyncPeriod: "0s",
      scheduler: "",
      excludeCIDRs: [],
      strictARP: false,
      tcpTimeout: "0s",
      tcpFinTimeout: "0s",
      udpTimeout: "0s",
    },
  };
}

/** The networks of `clusterCIDR`. */
export function clusterCidrs({ clusterCIDR }: KubeProxyConfiguration): string[] {
  return clusterCIDR === "" ? [] : clusterCIDR.split(",");
}
