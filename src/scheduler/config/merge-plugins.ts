import {
  extensionPoints,
  type PluginReference,
  type PluginSet,
  type Plugins,
} from "./configuration.ts";
import type { PluginSettings } from "./plugin-settings.ts";

/**
 * The plugins of a profile: its own choices merged over the defaults, point by point.
 *
 * Upstream: pkg/scheduler/apis/config/v1/default_plugins.go.
 */
export function mergePlugins(
  custom: Partial<Plugins> | undefined,
  known: readonly PluginSettings[],
): Plugins {
  const merge = (defaults: PluginSet, point: keyof Plugins): PluginSet =>
    mergePluginSet(defaults, custom?.[point] ?? {});
  const points = extensionPoints.map((point) => [point, merge({}, point)] as const);
  return {
    // The list names every point.
    ...(Object.fromEntries(points) as Omit<Plugins, "multiPoint">),
    multiPoint: merge({ enabled: defaultPlugins(known) }, "multiPoint"),
  };
}

function defaultPlugins(known: readonly PluginSettings[]): PluginReference[] {
  return known
    .filter(({ offByDefault }) => !offByDefault)
    .map(({ name, weight }) => (weight === undefined ? { name } : { name, weight }));
}

function mergePluginSet(defaults: PluginSet, custom: PluginSet): PluginSet {
  const disabled = (custom.disabled ?? []).map(({ name }) => ({ name }));
  const isDisabled = (name: string): boolean => disabled.some((one) => one.name === name);
  const own = custom.enabled ?? [];
  const kept = isDisabled("*")
    ? []
    : (defaults.enabled ?? []).filter(({ name }) => !isDisabled(name));
  // A default that is named again is replaced at its position.
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
