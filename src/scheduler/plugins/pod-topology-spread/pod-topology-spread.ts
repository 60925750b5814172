import type { Node, Pod, TopologySpreadConstraint } from "#/api/core/v1.ts";
import type { Labels } from "#/machinery/meta/labels.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "../shared/plugin-declaration.ts";
import {
  compileConstraints,
  hasTopologyKeys,
  hostnameLabel,
  type SpreadConstraint,
  selecting,
} from "./constraints.ts";
import { defaultSelector, ownerListers } from "./default-selector.ts";
import { type PodTopologySpreadArgs, spreadArgs } from "./spread-args.ts";
import { SpreadFilter } from "./spread-filter.ts";
import { spreadScorer } from "./spread-scorer.ts";

/** Default constraints of pods without constraints, unless the configuration has others. */
const systemDefaults: readonly TopologySpreadConstraint[] = [
  { topologyKey: hostnameLabel, whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 5 },
];

/**
 * Spreads matching pods over zones, hosts or other topology domains.
 *
 * Upstream: pkg/scheduler/framework/plugins/podtopologyspread.
 */
export const podTopologySpread: PluginDeclaration<PodTopologySpreadArgs> = {
  name: "PodTopologySpread",
  weight: 2,
  args: spreadArgs,
  make,
};

function make(args: PodTopologySpreadArgs, { context }: MakingOptions): PluginMethods {
  const owners = ownerListers(context);
  const systemDefaulted = args.defaultingType === "System";
  const defaults = systemDefaulted ? systemDefaults : (args.defaultConstraints ?? []);

  const constraintsOf = (pod: Pod, way: string): SpreadConstraint[] => {
    const { topologySpreadConstraints: own = [] } = pod.spec;
    const labels = pod.metadata.labels ?? {};
    if (own.length > 0) return compileConstraints(own, way, labels);
    const constraints = compileConstraints(defaults, way, labels);
    if (constraints.length === 0) return constraints;
    const selector = defaultSelector(pod, owners);
    if (selector.isEverything) return [];
    return constraints.map((constraint) => ({ ...constraint, ...selecting(selector) }));
  };
  const required = (pod: Pod): SpreadConstraint[] => constraintsOf(pod, "DoNotSchedule");

  return {
    requeueOn: [
      interest<Pod, Pod>(
        "AssignedPod",
        action.Add | action.UpdatePodLabel | action.Delete,
        (pod, before, after) => podHelps(pod, before, after, required),
      ),
      interest<Pod, Pod>(
        "TargetPod",
        action.UpdatePodToleration | action.UpdatePodLabel,
        (pod, before, after) => ownChangeHelps(before, after, required(pod)),
      ),
      interest<Pod, Node>(
        "Node",
        action.Add | action.Delete | action.UpdateNodeLabel | action.UpdateNodeTaint,
        (pod, before, after) => nodeHelps(before, after, required(pod)),
      ),
    ],
    filter({ pod, snapshot }) {
      const constraints = required(pod.pod);
      return constraints.length === 0 ? undefined : SpreadFilter.of(pod, constraints, snapshot);
    },
    score(cycle, nodes) {
      const { pod } = cycle.pod;
      const constraints = constraintsOf(pod, "ScheduleAnyway");
      if (constraints.length === 0) return undefined;
      const hasOwn = (pod.spec.topologySpreadConstraints?.length ?? 0) > 0;
      return spreadScorer(cycle, constraints, nodes, hasOwn || !systemDefaulted);
    },
  };
}

/** True if a pod that was added, removed or relabelled on some node may reduce the skew. */
function podHelps(
  pod: Pod,
  before: Pod | undefined,
  after: Pod | undefined,
  required: (pod: Pod) => SpreadConstraint[],
): boolean {
  const isElsewhere = (other: Pod | undefined): boolean =>
    other !== undefined &&
    (other.metadata.namespace !== pod.metadata.namespace ||
      !(other.spec.nodeName || other.status?.nominatedNodeName));
  if (isElsewhere(before) || isElsewhere(after)) return false;
  const constraints = required(pod);
  if (before && after) return labelsHelp(before, after, constraints);
  const labels = (after ?? before)?.metadata.labels;
  return constraints.some(({ selector }) => selector.matches(labels));
}

function labelsHelp(before: Pod, after: Pod, constraints: readonly SpreadConstraint[]): boolean {
  const then = before.metadata.labels;
  const now = after.metadata.labels;
  return constraints.some(({ selector }) => selector.matches(then) !== selector.matches(now));
}

function ownChangeHelps(
  before: Pod | undefined,
  after: Pod | undefined,
  constraints: readonly SpreadConstraint[],
): boolean {
  if (!before || !after) return true;
  const tolerations = !deepEqual(before.spec.tolerations ?? [], after.spec.tolerations ?? []);
  if (tolerations && constraints.some(({ honorsTaints }) => honorsTaints)) return true;
  return labelsHelp(before, after, constraints);
}

/** True if a domain was added, removed or changed. */
function nodeHelps(
  before: Node | undefined,
  after: Node | undefined,
  constraints: readonly SpreadConstraint[],
): boolean {
  const matched = before !== undefined && hasTopologyKeys(before.metadata.labels, constraints);
  const matches = after !== undefined && hasTopologyKeys(after.metadata.labels, constraints);
  if (!before || !after) return matched || matches;
  if (matched !== matches) return true;
  if (!matches) return false;
  const labelOf = (labels: Labels | undefined, key: string): string => labels?.[key] ?? "";
  return (
    !deepEqual(before.spec.taints ?? [], after.spec.taints ?? []) ||
    constraints.some(({ topologyKey }) => {
      return (
        labelOf(before.metadata.labels, topologyKey) !== labelOf(after.metadata.labels, topologyKey)
      );
    })
  );
}
