import { parseYaml } from "#/std/text/yaml.ts";
import type {
  KubeSchedulerConfiguration,
  KubeSchedulerProfile,
  PluginConfig,
  Plugins,
} from "./configuration.ts";
import { mergePlugins } from "./merge-plugins.ts";
import type { PluginSettings } from "./plugin-settings.ts";

const configGroupVersion = "kubescheduler.config.k8s.io/v1";
const configKind = "KubeSchedulerConfiguration";

/** A configuration file that is invalid. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The configuration as a file has it, before defaulting. */
type Sparse = Partial<
  Omit<KubeSchedulerConfiguration, "profiles" | "leaderElection" | "clientConnection">
> & {
  leaderElection?: Partial<KubeSchedulerConfiguration["leaderElection"]>;
  clientConnection?: Partial<KubeSchedulerConfiguration["clientConnection"]>;
  profiles?: (Partial<Omit<KubeSchedulerProfile, "plugins">> & { plugins?: Partial<Plugins> })[];
};

/** Parses a configuration, in YAML or JSON, and sets the defaults. Throws ConfigurationError. */
export function parseConfiguration(
  text: string,
  known: readonly PluginSettings[],
): KubeSchedulerConfiguration {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error });
  }
  if (typeof value !== "object" || value === null) {
    throw new ConfigurationError("Object 'Kind' is missing in the file");
  }
  const { apiVersion, kind } = value as Sparse;
  if (kind !== configKind || apiVersion !== configGroupVersion) {
    throw new ConfigurationError(
      `no kind "${kind ?? ""}" is registered for version "${apiVersion ?? ""}" in scheme`,
    );
  }
  // The values of the fields are checked by validateConfiguration().
  return withDefaults(known, value as Sparse);
}

/**
 * A configuration with all defaults set.
 *
 * Upstream: pkg/scheduler/apis/config/v1/defaults.go.
 */
export function withDefaults(
  known: readonly PluginSettings[],
  given: Sparse = {},
): KubeSchedulerConfiguration {
  const { leaderElection, clientConnection, profiles = [] } = given;
  const enableProfiling = given.enableProfiling ?? true;
  const list = profiles.length === 0 ? [{}] : profiles;
  return {
    ...given,
    apiVersion: configGroupVersion,
    kind: configKind,
    parallelism: given.parallelism ?? 16,
    leaderElection: {
      leaderElect: leaderElection?.leaderElect ?? true,
      leaseDuration: leaderElection?.leaseDuration || "15s",
      renewDeadline: leaderElection?.renewDeadline || "10s",
      retryPeriod: leaderElection?.retryPeriod || "2s",
      resourceLock: leaderElection?.resourceLock || "leases",
      resourceName: leaderElection?.resourceName || "kube-scheduler",
      resourceNamespace: leaderElection?.resourceNamespace || "kube-system",
    },
    clientConnection: {
      kubeconfig: clientConnection?.kubeconfig ?? "",
      acceptContentTypes: clientConnection?.acceptContentTypes ?? "",
      contentType: clientConnection?.contentType || "application/vnd.kubernetes.protobuf",
      qps: clientConnection?.qps || 50,
      burst: clientConnection?.burst || 100,
    },
    enableProfiling,
    enableContentionProfiling: given.enableContentionProfiling ?? enableProfiling,
    percentageOfNodesToScore: given.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: given.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: given.podMaxBackoffSeconds ?? 10,
    profiles: list.map((profile) => profileWithDefaults(profile, list.length === 1, known)),
  };
}

function profileWithDefaults(
  profile: NonNullable<Sparse["profiles"]>[number],
  only: boolean,
  known: readonly PluginSettings[],
): KubeSchedulerProfile {
  const plugins = mergePlugins(profile.plugins, known);
  const complete = ({ name, args }: PluginConfig): PluginConfig => {
    const rules = known.find((plugin) => plugin.name === name)?.args;
    if (rules === undefined) return { name, args: args ?? {} };
    const completed = rules.complete(args ?? {});
    return { name, args: { apiVersion: configGroupVersion, kind: `${name}Args`, ...completed } };
  };
  const given = profile.pluginConfig ?? [];
  const missing = enabledNames(plugins).filter((name) => {
    const takesArgs = known.some((plugin) => plugin.name === name && plugin.args);
    return takesArgs && !given.some((config) => config.name === name);
  });
  return {
    schedulerName: profile.schedulerName ?? (only ? "default-scheduler" : ""),
    ...(profile.percentageOfNodesToScore === undefined
      ? {}
      : { percentageOfNodesToScore: profile.percentageOfNodesToScore }),
    plugins,
    pluginConfig: [...given, ...missing.map((name) => ({ name }))].map(complete),
  };
}

function enabledNames(plugins: Plugins): string[] {
  const names = Object.values(plugins).flatMap(({ enabled = [] }) => enabled);
  return [...new Set(names.map(({ name }) => name))].sort();
}
