/**
 * KubeSchedulerConfiguration as it is on the wire, after defaulting.
 *
 * Upstream: staging/src/k8s.io/kube-scheduler/config/v1/types.go.
 */
export interface KubeSchedulerConfiguration {
  apiVersion: string;
  kind: string;
  parallelism: number;
  leaderElection: LeaderElectionConfiguration;
  clientConnection: ClientConnectionConfiguration;
  enableProfiling: boolean;
  enableContentionProfiling: boolean;
  percentageOfNodesToScore: number;
  podInitialBackoffSeconds: number;
  podMaxBackoffSeconds: number;
  profiles: KubeSchedulerProfile[];
  extenders?: Extender[];
  delayCacheUntilActive?: boolean;
}

export interface LeaderElectionConfiguration {
  leaderElect: boolean;
  /** Durations as Go writes them. */
  leaseDuration: string;
  renewDeadline: string;
  retryPeriod: string;
  resourceLock: string;
  resourceName: string;
  resourceNamespace: string;
}

interface ClientConnectionConfiguration {
  kubeconfig: string;
  acceptContentTypes: string;
  contentType: string;
  qps: number;
  burst: number;
}

export interface KubeSchedulerProfile {
  schedulerName: string;
  percentageOfNodesToScore?: number;
  plugins: Plugins;
  pluginConfig: PluginConfig[];
}

/** The extension points that a configuration names. */
export const extensionPoints = [
  "preEnqueue",
  "queueSort",
  "preFilter",
  "filter",
  "postFilter",
  "preScore",
  "score",
  "reserve",
  "permit",
  "preBind",
  "bind",
  "postBind",
] as const;

export type ExtensionPoint = (typeof extensionPoints)[number];

/** Which plugins run at which point; multiPoint stands for all points that a plugin has. */
export type Plugins = { [Point in ExtensionPoint | "multiPoint"]: PluginSet };

export interface PluginSet {
  enabled?: PluginReference[];
  disabled?: PluginReference[];
}

export interface PluginReference {
  name: string;
  weight?: number;
}

export interface PluginConfig {
  name: string;
  args?: object;
}

export interface Extender {
  urlPrefix: string;
  filterVerb?: string;
  preemptVerb?: string;
  prioritizeVerb?: string;
  weight?: number;
  bindVerb?: string;
  enableHTTPS?: boolean;
  tlsConfig?: ExtenderTlsConfig;
  httpTimeout?: string;
  nodeCacheCapable?: boolean;
  managedResources?: { name: string; ignoredByScheduler?: boolean }[];
  ignorable?: boolean;
}

interface ExtenderTlsConfig {
  insecure?: boolean;
  serverName?: string;
  certFile?: string;
  keyFile?: string;
  caFile?: string;
  /** Base64. */
  certData?: string;
  keyData?: string;
  caData?: string;
}
