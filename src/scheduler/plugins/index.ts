import type { PluginMaker } from "../framework/profile.ts";
import { defaultBinder } from "./default-binder.ts";
import { defaultPreemption } from "./default-preemption.ts";
import { dynamicResources } from "./dynamic-resources/dynamic-resources.ts";
import { imageLocality } from "./image-locality.ts";
import { interPodAffinity } from "./inter-pod-affinity/inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeResourcesBalancedAllocation } from "./node-resources-balanced-allocation.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { podTopologySpread } from "./pod-topology-spread/pod-topology-spread.ts";
import { prioritySort } from "./priority-sort.ts";
import { schedulingGates } from "./scheduling-gates.ts";
import type { MakingOptions, PluginDeclaration } from "./shared/plugin-declaration.ts";
import { taintToleration } from "./shared/taint-toleration.ts";
import { nodeVolumeLimits } from "./volumes/node-volume-limits.ts";
import { volumeBinding } from "./volumes/volume-binding.ts";
import { volumeRestrictions } from "./volumes/volume-restrictions.ts";
import { volumeZone } from "./volumes/volume-zone.ts";

/**
 * Every plugin, in the order in which profiles run those that are on by default. To add one, write its file and list it here.
 *
 * Upstream: pkg/scheduler/apis/config/v1/default_plugins.go.
 */
export const plugins: readonly PluginDeclaration[] = [
  schedulingGates,
  prioritySort,
  nodeName,
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
  dynamicResources,
  defaultPreemption,
  nodeResourcesBalancedAllocation,
  imageLocality,
  defaultBinder,
  nodeDeclaredFeatures,
];

/** Creates plugins by name. */
export function pluginMaker(options: MakingOptions): PluginMaker {
  return (name, args) => {
    const plugin = plugins.find((one) => one.name === name);
    return plugin && { name, ...plugin.make(args, options) };
  };
}
