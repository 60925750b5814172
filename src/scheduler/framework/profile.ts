import {
  type ExtensionPoint,
  extensionPoints,
  type KubeSchedulerProfile,
  type PluginReference,
  type Plugins,
} from "../config/configuration.ts";
import { ConfigurationError } from "../config/load-configuration.ts";
import type { Plugin } from "./plugin.ts";

/** A plugin with the weight of its score. */
export interface WeightedPlugin {
  readonly plugin: Plugin;
  readonly weight: number;
}

/** The plugins that schedule the pods of one scheduler name, in order, by extension point. */
export interface Profile {
  readonly name: string;
  readonly percentageOfNodesToScore: number | undefined;
  /** Each plugin once, with only the methods that are enabled. */
  readonly plugins: readonly Plugin[];
  readonly queueSort: Plugin;
  readonly filter: readonly Plugin[];
  readonly postFilter: readonly Plugin[];
  readonly score: readonly WeightedPlugin[];
  readonly reserve: readonly Plugin[];
  readonly permit: readonly Plugin[];
  readonly preBind: readonly Plugin[];
  readonly bind: readonly Plugin[];
  readonly postBind: readonly Plugin[];
}

/** The methods of a plugin that an extension point calls. */
const methods: Readonly<Record<ExtensionPoint, readonly (keyof Plugin)[]>> = {
  preEnqueue: ["preEnqueue"],
  queueSort: ["less"],
  preFilter: ["filter"],
  filter: ["filter"],
  postFilter: ["postFilter"],
  preScore: ["score"],
  score: ["score"],
  reserve: ["reserve", "unreserve"],
  permit: ["permit"],
  preBind: ["preBind", "needsPreBind"],
  bind: ["bind"],
  postBind: ["postBind"],
};

/** Creates a plugin by its name with its arguments; undefined if there is none. */
export type PluginMaker = (name: string, args: object) => Plugin | undefined;

/**
 * Creates the plugins of a profile. Throws ConfigurationError.
 *
 * Upstream: pkg/scheduler/framework/runtime/framework.go.
 */
export function buildProfile(config: KubeSchedulerProfile, make: PluginMaker): Profile {
  const made = makePlugins(config, make);
  const references = new Map(
    extensionPoints.map((point) => [point, pluginsAt(point, config.plugins, made)] as const),
  );
  const effective = new Map<string, Plugin>();
  for (const [name, plugin] of made) {
    const points = extensionPoints.filter((point) => {
      return references.get(point)?.some((reference) => reference.name === name);
    });
    effective.set(name, restrict(plugin, points));
  }
  const at = (point: ExtensionPoint): WeightedPlugin[] =>
    (references.get(point) ?? []).flatMap(({ name, weight }) => {
      const plugin = effective.get(name);
      return plugin ? [{ plugin, weight: weight || 1 }] : [];
    });
  const plain = (point: ExtensionPoint): Plugin[] => at(point).map(({ plugin }) => plugin);
  return {
    name: config.schedulerName,
    percentageOfNodesToScore: config.percentageOfNodesToScore,
    plugins: [...effective.values()],
    queueSort: onlyQueueSort(plain("queueSort"), config.schedulerName),
    filter: plain("filter"),
    postFilter: plain("postFilter"),
    score: at("score"),
    reserve: plain("reserve"),
    permit: plain("permit"),
    preBind: plain("preBind"),
    bind: atLeastOneBind(plain("bind"), config.schedulerName),
    postBind: plain("postBind"),
  };
}

function makePlugins(config: KubeSchedulerProfile, make: PluginMaker): Map<string, Plugin> {
  const made = new Map<string, Plugin>();
  for (const { enabled = [] } of Object.values(config.plugins)) {
    for (const { name } of enabled) {
      if (made.has(name)) continue;
      const args = config.pluginConfig.find((one) => one.name === name)?.args ?? {};
      const plugin = make(name, args);
      if (!plugin) throw new ConfigurationError(`plugin "${name}" does not exist`);
      made.set(name, plugin);
    }
  }
  return made;
}

/**
 * The plugins of one point: those that are in both the point and multiPoint first, then the rest of multiPoint, then the rest
 * of the point.
 */
function pluginsAt(
  point: ExtensionPoint,
  plugins: Plugins,
  made: ReadonlyMap<string, Plugin>,
): readonly PluginReference[] {
  const { enabled = [], disabled = [] } = plugins[point];
  const has = (name: string): boolean => {
    const plugin = made.get(name);
    return methods[point].some((method) => plugin?.[method] !== undefined);
  };
  const wrong = enabled.find(({ name }) => !has(name));
  if (wrong) throw new ConfigurationError(`plugin "${wrong.name}" does not extend ${point} plugin`);
  const off = new Set(disabled.map(({ name }) => name));
  const multi = (plugins.multiPoint.enabled ?? []).filter(({ name }) => {
    return has(name) && !off.has("*") && !off.has(name);
  });
  const isIn = (list: readonly PluginReference[], name: string): boolean =>
    list.some((reference) => reference.name === name);
  return [
    ...enabled.filter(({ name }) => isIn(multi, name)),
    ...multi.filter(({ name }) => !isIn(enabled, name)),
    ...enabled.filter(({ name }) => !isIn(multi, name)),
  ];
}

/** The plugin with only the methods of these points. */
function restrict(plugin: Plugin, points: readonly ExtensionPoint[]): Plugin {
  const kept = new Set(points.flatMap((point) => methods[point]));
  const entries = Object.entries(plugin).filter(([key]) => {
    const isMethod = Object.values(methods).some((names) => names.includes(key as keyof Plugin));
    return !isMethod || kept.has(key as keyof Plugin);
  });
  // Methods are closures: none of them needs `this`.
  return Object.fromEntries(entries) as unknown as Plugin;
}

function onlyQueueSort([first, ...more]: readonly Plugin[], profile: string): Plugin {
  if (first === undefined) {
    throw new ConfigurationError(
      `no queue sort plugin required for profile with scheduler name "${profile}"`,
    );
  }
  if (more.length === 0) return first;
  throw new ConfigurationError(
    `only one queue sort plugin required for profile with scheduler name "${profile}", but got ${more.length + 1}`,
  );
}

function atLeastOneBind(plugins: Plugin[], profile: string): Plugin[] {
  if (plugins.length > 0) return plugins;
  throw new ConfigurationError(
    `at least one bind plugin is needed for profile with scheduler name "${profile}"`,
  );
}
