import type { Taint } from "#/api/core/v1.ts";

/** A duration as configuration files write it: `1m30s`; see std/go/duration.ts. */
type DurationText = string;

/**
 * KubeletConfiguration (kubelet.config.k8s.io/v1beta1) after defaults, in the form of the file.
 *
 * Upstream: k8s.io/kubelet/config/v1beta1/types.go.
 */
export interface KubeletConfiguration extends ConfigurationDefaults {
  apiVersion?: string;
  kind?: string;
  staticPodPath?: string;
  staticPodURL?: string;
  staticPodURLHeader?: Record<string, string[]>;
  readOnlyPort?: number;
  tlsCertFile?: string;
  tlsPrivateKeyFile?: string;
  tlsCipherSuites?: string[];
  tlsMinVersion?: string;
  rotateCertificates?: boolean;
  serverTLSBootstrap?: boolean;
  imagePullCredentialsVerificationPolicy?: string;
  preloadedImagesVerificationAllowlist?: string[];
  clusterDomain?: string;
  clusterDNS?: string[];
  imageMaximumGCAge?: DurationText;
  kubeletCgroups?: string;
  systemCgroups?: string;
  cgroupRoot?: string;
  qosReserved?: Record<string, string>;
  podCIDR?: string;
  runOnce?: boolean;
  maxParallelImagePulls?: number;
  evictionHard?: Record<string, string>;
  evictionSoft?: Record<string, string>;
  evictionSoftGracePeriod?: Record<string, string>;
  evictionMaxPodGracePeriod?: number;
  evictionMinimumReclaim?: Record<string, string>;
  podsPerCore?: number;
  protectKernelDefaults?: boolean;
  featureGates?: Record<string, boolean>;
  memorySwap?: { swapBehavior?: string };
  systemReserved?: Record<string, string>;
  kubeReserved?: Record<string, string>;
  reservedSystemCPUs?: string;
  systemReservedCgroup?: string;
  kubeReservedCgroup?: string;
  allowedUnsafeSysctls?: string[];
  defaultPodSysctls?: Record<string, string>;
  providerID?: string;
  enableSystemLogQuery?: boolean;
  shutdownGracePeriod?: DurationText;
  shutdownGracePeriodCriticalPods?: DurationText;
  registerWithTaints?: Taint[];
  memoryThrottlingFactor?: number;
  imageServiceEndpoint?: string;
  userNamespaces?: { idsPerPod?: number };
  showHiddenMetricsForVersion?: string;
  shutdownGracePeriodByPodPriority?: { priority: number; shutdownGracePeriodSeconds: number }[];
  reservedMemory?: { numaNode?: number; limits?: Record<string, string | number> }[];
  tracing?: { endpoint?: string; samplingRatePerMillion?: number };
}

/** The fields that have a default. */
export interface ConfigurationDefaults {
  enableServer: boolean;
  podLogsDir: string;
  syncFrequency: DurationText;
  fileCheckFrequency: DurationText;
  httpCheckFrequency: DurationText;
  address: string;
  port: number;
  authentication: {
    anonymous: { enabled: boolean };
    webhook: { enabled: boolean; cacheTTL: DurationText };
    x509: { clientCAFile?: string };
  };
  authorization: {
    mode: string;
    webhook: { cacheAuthorizedTTL: DurationText; cacheUnauthorizedTTL: DurationText };
  };
  registryPullQPS: number;
  registryBurst: number;
  eventRecordQPS: number;
  eventBurst: number;
  enableDebuggingHandlers: boolean;
  healthzPort: number;
  healthzBindAddress: string;
  oomScoreAdj: number;
  streamingConnectionIdleTimeout: DurationText;
  nodeStatusUpdateFrequency: DurationText;
  nodeStatusReportFrequency: DurationText;
  nodeLeaseDurationSeconds: number;
  imageMinimumGCAge: DurationText;
  imageGCHighThresholdPercent: number;
  imageGCLowThresholdPercent: number;
  volumeStatsAggPeriod: DurationText;
  cgroupsPerQOS: boolean;
  cgroupDriver: string;
  cpuManagerPolicy: string;
  cpuManagerReconcilePeriod: DurationText;
  memoryManagerPolicy: string;
  topologyManagerPolicy: string;
  topologyManagerScope: string;
  runtimeRequestTimeout: DurationText;
  hairpinMode: string;
  maxPods: number;
  podPidsLimit: number;
  resolvConf: string;
  cpuCFSQuota: boolean;
  cpuCFSQuotaPeriod: DurationText;
  nodeStatusMaxImages: number;
  maxOpenFiles: number;
  contentType: string;
  kubeAPIQPS: number;
  kubeAPIBurst: number;
  serializeImagePulls: boolean;
  evictionPressureTransitionPeriod: DurationText;
  mergeDefaultEvictionSettings: boolean;
  enableControllerAttachDetach: boolean;
  makeIPTablesUtilChains: boolean;
  iptablesMasqueradeBit: number;
  iptablesDropBit: number;
  failSwapOn: boolean;
  containerLogMaxSize: string;
  containerLogMaxFiles: number;
  containerLogMaxWorkers: number;
  containerLogMonitorInterval: DurationText;
  configMapAndSecretChangeDetectionStrategy: string;
  enforceNodeAllocatable: string[];
  volumePluginDir: string;
  enableSystemLogHandler: boolean;
  enableProfilingHandler: boolean;
  enableDebugFlagsHandler: boolean;
  seccompDefault: boolean;
  failCgroupV1: boolean;
  memoryReservationPolicy: string;
  registerNode: boolean;
  localStorageCapacityIsolation: boolean;
  containerRuntimeEndpoint: string;
  crashLoopBackOff: { maxContainerRestartPeriod: DurationText };
}

/** A configuration as in a file, without defaults. */
export type GivenConfiguration = Partial<
  Omit<KubeletConfiguration, "authentication" | "authorization" | "crashLoopBackOff">
> & {
  authentication?: DeepPartial<ConfigurationDefaults["authentication"]>;
  authorization?: DeepPartial<ConfigurationDefaults["authorization"]>;
  crashLoopBackOff?: Partial<ConfigurationDefaults["crashLoopBackOff"]>;
};

type DeepPartial<T> = T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;
