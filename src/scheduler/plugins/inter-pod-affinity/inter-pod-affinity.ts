import { type Namespace, type Node, namespaces, type Pod } from "#/api/core/v1.ts";
import {
  type AffinityTerm,
  matchesAllTerms,
  matchesAnyTerm,
  withNamedNamespaces,
} from "../../cache/affinity-term.ts";
import { podInfoOf } from "../../cache/pod-info.ts";
import type { ArgumentRules } from "../../config/plugin-settings.ts";
import { action, interest } from "../../framework/cluster-event.ts";
import { rejectForGood } from "../../framework/rejection.ts";
import { validateRange } from "../shared/argument-parts.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "../shared/plugin-declaration.ts";
import { AffinityFilter } from "./affinity-filter.ts";
import { affinityScorer } from "./affinity-scorer.ts";

const name = "InterPodAffinity";

interface InterPodAffinityArgs {
  /** Weight (0…100) of another pod's required affinity term as a preference. */
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

const argumentRules: ArgumentRules<InterPodAffinityArgs> = {
  complete: (given) => ({
    ...given,
    hardPodAffinityWeight: given.hardPodAffinityWeight ?? 1,
    ignorePreferredTermsOfExistingPods: given.ignorePreferredTermsOfExistingPods ?? false,
  }),
  validate: ({ hardPodAffinityWeight }, path) =>
    validateRange(hardPodAffinityWeight, 0, 100, path.child("hardPodAffinityWeight")),
};

/**
 * Applies the affinity and anti-affinity terms between pods.
 *
 * Upstream: pkg/scheduler/framework/plugins/interpodaffinity.
 */
export const interPodAffinity: PluginDeclaration<InterPodAffinityArgs> = {
  name,
  weight: 2,
  args: argumentRules,
  make,
};

function make(args: InterPodAffinityArgs, { context }: MakingOptions): PluginMethods {
  const namespaceLister = context.lister(namespaces);
  const allNamespaces = (): readonly Namespace[] => namespaceLister.list();
  const named = <Term extends AffinityTerm>(terms: readonly Term[]): readonly Term[] =>
    terms.length === 0 ? terms : terms.map((term) => withNamedNamespaces(term, allNamespaces));
  const labelsOf = (namespace: string) =>
    namespaceLister.get(undefined, namespace)?.metadata.labels;

  return {
    requeueOn: [
      interest("AssignedPod", action.Add | action.UpdatePodLabel | action.Delete, podHelps),
      interest("TargetPod", action.UpdatePodLabel),
      interest("Node", action.Add | action.UpdateNodeLabel, nodeHelps),
    ],
    filter({ pod, snapshot }) {
      const { required, requiredAnti, problem } = pod.affinity;
      if (problem !== undefined) return rejectForGood(name, `parsing pod: ${problem}`);
      const none = required.length + requiredAnti.length === 0;
      if (none && snapshot.nodesWithRequiredAntiAffinity.length === 0) return undefined;
      const demands = {
        near: named(required),
        apart: named(requiredAnti),
        namespaceLabels: labelsOf(pod.namespace),
      };
      return AffinityFilter.of(pod, demands, snapshot);
    },
    score({ pod, snapshot }) {
      const { preferred, preferredAnti } = pod.affinity;
      const none = preferred.length + preferredAnti.length === 0;
      if (none && args.ignorePreferredTermsOfExistingPods) return undefined;
      if (none && snapshot.nodesWithAffinity.length === 0) return undefined;
      const preferences = {
        near: named(preferred),
        apart: named(preferredAnti),
        namespaceLabels: labelsOf(pod.namespace),
        hardWeight: args.hardPodAffinityWeight,
      };
      return affinityScorer(pod, preferences, snapshot);
    },
  };
}

/** True if a pod that was added, removed or relabelled on some node may make this pod schedulable. */
function podHelps(pod: Pod, before: Pod | undefined, after: Pod | undefined): boolean {
  const isPlaced = ({ spec, status }: Pod): boolean =>
    Boolean(spec.nodeName || status?.nominatedNodeName);
  if ((before && !isPlaced(before)) || (after && !isPlaced(after))) return false;
  const own = podInfoOf(pod);
  const { required, requiredAnti } = own.affinity;
  const then = before && podInfoOf(before);
  const now = after && podInfoOf(after);
  if (then && now) {
    const nearNow = !matchesAllTerms(required, then) && matchesAllTerms(required, now);
    return nearNow || (matchesAnyTerm(requiredAnti, then) && !matchesAnyTerm(requiredAnti, now));
  }
  if (now) return matchesAllTerms(required, now);
  if (!then) return false;
  return matchesAnyTerm(requiredAnti, then) || matchesAnyTerm(then.affinity.requiredAnti, own);
}

/** True if a new or relabelled node adds a topology domain, or leaves one that this pod must avoid. */
function nodeHelps(pod: Pod, before: Node | undefined, after: Node | undefined): boolean {
  const { required, requiredAnti } = podInfoOf(pod).affinity;
  const then = before?.metadata.labels ?? {};
  const now = after?.metadata.labels ?? {};
  const nearby = required.some(({ topologyKey: key }) => {
    return now[key] !== undefined && now[key] !== then[key];
  });
  if (nearby) return true;
  if (before === undefined) return requiredAnti.length > 0;
  return requiredAnti.some(({ topologyKey: key }) => {
    return then[key] !== undefined && now[key] !== then[key];
  });
}
