import { parseYaml } from "#/std/text/yaml.ts";
import type {
  KubeSchedulerConfiguration,
  KubeSchedulerProfile,
  PluginConfig,
  Plugins,
} from "./configuration.ts";
import { mergePlugins } from "./default-plugins.ts";
import { defaultArgs, type PluginArgs } from "./plugin-args.ts";

export const configGroupVersion = "kubescheduler.config.k8s.io/v1";
export const configKind = "KubeSchedulerConfiguration";

/** A configuration file that can't be used. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The configuration as a file may have it. */
type Sparse = Partial<
  Omit<KubeSchedulerConfiguration, "profiles" | "leaderElection" | "clientConnection">
> & {
  leaderElection?: Partial<KubeSchedulerConfiguration["leaderElection"]>;
  clientConnection?: Partial<KubeSchedulerConfiguration["clientConnection"]>;
  profiles?: (Partial<Omit<KubeSchedulerProfile, "plugins">> & { plugins?: Partial<Plugins> })[];
};

/** Reads a configuration, in YAML or JSON, and fills in the defaults. Throws ConfigurationError. */
export function parseConfiguration(text: string): KubeSchedulerConfiguration {
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
  // What the fields hold is checked by validateConfiguration().
  return withDefaults(value as Sparse);
}

/**
 * A configuration with all that is left out filled in.
 *
 * Upstream: kubernetes/pkg/scheduler/apis/config/v1/defaults.go.
 */
export function withDefaults(given: Sparse = {}): KubeSchedulerConfiguration {
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
    profiles: list.map((profile) => profileWithDefaults(profile, list.length === 1)),
  };
}

function profileWithDefaults(
  profile: NonNullable<Sparse["profiles"]>[number],
  only: boolean,
): KubeSchedulerProfile {
  const plugins = mergePlugins(profile.plugins);
  const given = (profile.pluginConfig ?? []).map(({ name, args = {} }) => {
    return { name, args: isConfigurable(name) ? argsWithDefaults(name, args) : args };
  });
  const missing = enabledNames(plugins)
    .filter((name) => isConfigurable(name) && !given.some((config) => config.name === name))
    .map((name): PluginConfig => ({ name, args: argsWithDefaults(name as keyof PluginArgs, {}) }));
  return {
    schedulerName: profile.schedulerName ?? (only ? "default-scheduler" : ""),
    ...(profile.percentageOfNodesToScore === undefined
      ? {}
      : { percentageOfNodesToScore: profile.percentageOfNodesToScore }),
    plugins,
    pluginConfig: [...given, ...missing],
  };
}

function isConfigurable(name: string): name is keyof PluginArgs {
  return Object.hasOwn(defaultArgs, name);
}

function argsWithDefaults(name: keyof PluginArgs, args: object): object {
  const fill = defaultArgs[name] as (given: object) => object;
  return { apiVersion: configGroupVersion, kind: `${name}Args`, ...fill(args) };
}

function enabledNames(plugins: Plugins): string[] {
  const names = Object.values(plugins).flatMap(({ enabled = [] }) => enabled);
  return [...new Set(names.map(({ name }) => name))].sort();
}
