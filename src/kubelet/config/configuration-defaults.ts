/** Upstream: pkg/kubelet/apis/config/v1beta1/defaults.go. */
import type {
  ConfigurationDefaults,
  GivenConfiguration,
  KubeletConfiguration,
} from "./kubelet-configuration.ts";

const defaults: ConfigurationDefaults = {
  enableServer: true,
  podLogsDir: "/var/log/pods",
  syncFrequency: "1m0s",
  fileCheckFrequency: "20s",
  httpCheckFrequency: "20s",
  address: "0.0.0.0",
  port: 10250,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true, cacheTTL: "2m0s" },
    x509: {},
  },
  authorization: {
    mode: "Webhook",
    webhook: { cacheAuthorizedTTL: "5m0s", cacheUnauthorizedTTL: "30s" },
  },
  registryPullQPS: 5,
  registryBurst: 10,
  eventRecordQPS: 50,
  eventBurst: 100,
  enableDebuggingHandlers: true,
  healthzPort: 10248,
  healthzBindAddress: "127.0.0.1",
  oomScoreAdj: -999,
  streamingConnectionIdleTimeout: "4h0m0s",
  nodeStatusUpdateFrequency: "10s",
  nodeStatusReportFrequency: "5m0s",
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: "2m0s",
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  volumeStatsAggPeriod: "1m0s",
  cgroupsPerQOS: true,
  cgroupDriver: "cgroupfs",
  cpuManagerPolicy: "none",
  cpuManagerReconcilePeriod: "10s",
  memoryManagerPolicy: "None",
  topologyManagerPolicy: "none",
  topologyManagerScope: "container",
  runtimeRequestTimeout: "2m0s",
  hairpinMode: "promiscuous-bridge",
  maxPods: 110,
  podPidsLimit: -1,
  resolvConf: "/etc/resolv.conf",
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: "100ms",
  nodeStatusMaxImages: 50,
  maxOpenFiles: 1_000_000,
  contentType: "application/vnd.kubernetes.protobuf",
  kubeAPIQPS: 50,
  kubeAPIBurst: 100,
  serializeImagePulls: true,
  evictionPressureTransitionPeriod: "5m0s",
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  containerLogMaxSize: "10Mi",
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: "10s",
  configMapAndSecretChangeDetectionStrategy: "Watch",
  enforceNodeAllocatable: ["pods"],
  volumePluginDir: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
  enableSystemLogHandler: true,
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  seccompDefault: false,
  failCgroupV1: true,
  memoryReservationPolicy: "None",
  registerNode: true,
  localStorageCapacityIsolation: true,
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  crashLoopBackOff: { maxContainerRestartPeriod: "5m0s" },
};

/** Zero means "not set" for these, because upstream's fields of them are no pointers. */
const zeroIsUnset = new Set<string>([
  "syncFrequency",
  "fileCheckFrequency",
  "httpCheckFrequency",
  "address",
  "port",
  "registryBurst",
  "eventBurst",
  "healthzBindAddress",
  "streamingConnectionIdleTimeout",
  "nodeStatusUpdateFrequency",
  "nodeStatusReportFrequency",
  "nodeLeaseDurationSeconds",
  "imageMinimumGCAge",
  "volumeStatsAggPeriod",
  "cgroupDriver",
  "runtimeRequestTimeout",
  "hairpinMode",
  "maxPods",
  "maxOpenFiles",
  "kubeAPIBurst",
  "evictionPressureTransitionPeriod",
  "containerLogMaxSize",
  "containerRuntimeEndpoint",
  "podLogsDir",
]);

/** A configuration with all defaults filled in. */
export function completeConfiguration(given: GivenConfiguration): KubeletConfiguration {
  const said = dropUnset(given) as GivenConfiguration;
  const { authentication, authorization } = said;
  const complete = { ...defaults, ...said } as KubeletConfiguration;
  complete.authentication = {
    anonymous: { ...defaults.authentication.anonymous, ...authentication?.anonymous },
    webhook: { ...defaults.authentication.webhook, ...authentication?.webhook },
    x509: { ...authentication?.x509 },
  } as KubeletConfiguration["authentication"];
  complete.authorization = {
    mode: authorization?.mode || defaults.authorization.mode,
    webhook: { ...defaults.authorization.webhook, ...authorization?.webhook },
  } as KubeletConfiguration["authorization"];
  complete.crashLoopBackOff = { ...defaults.crashLoopBackOff, ...said.crashLoopBackOff };
  if (said.nodeStatusReportFrequency === undefined && said.nodeStatusUpdateFrequency) {
    complete.nodeStatusReportFrequency = said.nodeStatusUpdateFrequency;
  }
  if (said.serializeImagePulls === undefined && (said.maxParallelImagePulls ?? 1) > 1) {
    complete.serializeImagePulls = false;
  }
  if (complete.podPidsLimit < 0) complete.podPidsLimit = -1;
  return complete;
}

function dropUnset(given: object): object {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) =>
        value !== null && value !== undefined && !(zeroIsUnset.has(name) && isZero(value)),
    ),
  );
}

function isZero(value: unknown): boolean {
  return value === 0 || value === "" || value === "0s" || value === "0";
}
