import type { PluginArgs } from "../config/plugin-args.ts";
import type { Extender } from "../extender/extender.ts";
import type { PluginContext } from "../framework/context.ts";
import type { Plugin } from "../framework/plugin.ts";
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
import { taintToleration } from "./shared/taint-toleration.ts";
import { nodeVolumeLimits } from "./volumes/node-volume-limits.ts";
import { volumeBinding } from "./volumes/volume-binding.ts";
import { volumeRestrictions } from "./volumes/volume-restrictions.ts";
import { volumeZone } from "./volumes/volume-zone.ts";

/** What plugins are made with. */
export interface MakingOptions {
  readonly context: PluginContext;
  readonly extenders: readonly Extender[];
}

/** The arguments that defaulting has put in place for a plugin. */
type Args<Name extends keyof PluginArgs> = PluginArgs[Name];

/** Every plugin that there is, by name. To add one, write its file and name it here. */
const makers: Readonly<Record<string, (args: object, options: MakingOptions) => Plugin>> = {
  SchedulingGates: () => schedulingGates,
  PrioritySort: () => prioritySort,
  NodeName: () => nodeName,
  NodeUnschedulable: () => nodeUnschedulable,
  TaintToleration: () => taintToleration,
  NodeAffinity: (args) => nodeAffinity(args as Args<"NodeAffinity">),
  NodePorts: () => nodePorts,
  NodeResourcesFit: (args) => nodeResourcesFit(args as Args<"NodeResourcesFit">),
  NodeResourcesBalancedAllocation: (args) =>
    nodeResourcesBalancedAllocation(args as Args<"NodeResourcesBalancedAllocation">),
  ImageLocality: () => imageLocality,
  PodTopologySpread: (args, { context }) =>
    podTopologySpread(args as Args<"PodTopologySpread">, context),
  InterPodAffinity: (args, { context }) =>
    interPodAffinity(args as Args<"InterPodAffinity">, context),
  DynamicResources: (_args, { context }) => dynamicResources(context),
  DefaultPreemption: (args, { context, extenders }) =>
    defaultPreemption(args as Args<"DefaultPreemption">, context, extenders),
  NodeDeclaredFeatures: () => nodeDeclaredFeatures,
  VolumeRestrictions: (_args, { context }) => volumeRestrictions(context),
  NodeVolumeLimits: (_args, { context }) => nodeVolumeLimits(context),
  VolumeBinding: (args, { context }) => volumeBinding(args as Args<"VolumeBinding">, context),
  VolumeZone: (_args, { context }) => volumeZone(context),
  DefaultBinder: (_args, { context }) => defaultBinder(context),
};

/** Makes plugins by name. */
export function pluginMaker(options: MakingOptions): PluginMaker {
  return (name, args) => {
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    return make?.(args, options);
  };
}
