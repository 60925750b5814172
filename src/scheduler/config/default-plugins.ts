import {
  extensionPoints,
  type PluginReference,
  type PluginSet,
  type Plugins,
} from "./configuration.ts";

/**
 * The plugins that a profile has unless it says otherwise, in the order they run.
 *
 * Upstream: kubernetes/pkg/scheduler/apis/config/v1/default_plugins.go.
 */
export const defaultPlugins: readonly PluginReference[] = [
  { name: "SchedulingGates" },
  { name: "PrioritySort" },
  { name: "NodeName" },
  { name: "NodeUnschedulable" },
  { name: "TaintToleration", weight: 3 },
  { name: "NodeAffinity", weight: 2 },
  { name: "NodePorts" },
  { name: "NodeResourcesFit", weight: 1 },
  { name: "VolumeRestrictions" },
  { name: "NodeVolumeLimits" },
  { name: "VolumeBinding" },
  { name: "VolumeZone" },
  { name: "PodTopologySpread", weight: 2 },
  { name: "InterPodAffinity", weight: 2 },
  { name: "DynamicResources", weight: 2 },
  { name: "DefaultPreemption" },
  { name: "NodeResourcesBalancedAllocation", weight: 1 },
  { name: "ImageLocality", weight: 1 },
  { name: "DefaultBinder" },
  { name: "NodeDeclaredFeatures" },
];

/** The plugins of a profile: its own choices put over the defaults, point by point. */
export function mergePlugins(custom: Partial<Plugins> | undefined): Plugins {
  const merge = (defaults: PluginSet, point: keyof Plugins): PluginSet =>
    mergePluginSet(defaults, custom?.[point] ?? {});
  const points = extensionPoints.map((point) => [point, merge({}, point)] as const);
  return {
    // The list names every point.
    ...(Object.fromEntries(points) as Omit<Plugins, "multiPoint">),
    multiPoint: merge({ enabled: [...defaultPlugins] }, "multiPoint"),
  };
}

function mergePluginSet(defaults: PluginSet, custom: PluginSet): PluginSet {
  const disabled = (custom.disabled ?? []).map(({ name }) => ({ name }));
  const isDisabled = (name: string): boolean => disabled.some((one) => one.name === name);
  const own = custom.enabled ?? [];
  const kept = isDisabled("*")
    ? []
    : (defaults.enabled ?? []).filter(({ name }) => !isDisabled(name));
  // A default that is named again is replaced where it stands.
  const replaced = kept.map(({ name }) => own.findLast((one) => one.name === name));
  const enabled = [
    ...kept.map((plugin, index) => replaced[index] ?? plugin),
    ...own.filter((plugin) => !replaced.includes(plugin)),
  ];
  return {
    ...(enabled.length > 0 ? { enabled } : {}),
    ...(disabled.length > 0 ? { disabled } : {}),
  };
}
