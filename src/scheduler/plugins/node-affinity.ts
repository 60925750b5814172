import type { Node, NodeAffinity, NodeSelectorTerm, Pod } from "#/api/core/v1.ts";
import { invalid } from "#/machinery/meta/field-error.ts";
import {
  compileNodeSelector,
  compilePreferredTerms,
  compileRequiredNodeAffinity,
} from "#/machinery/pods/node-affinity.ts";
import type { ArgumentRules } from "../config/plugin-settings.ts";
import { action, interest } from "../framework/cluster-event.ts";
import { normalizeScores } from "../framework/normalize.ts";
import { rejectForGood } from "../framework/rejection.ts";
import type { PluginDeclaration, PluginMethods } from "./shared/plugin-declaration.ts";

const name = "NodeAffinity";
const mismatch = rejectForGood(name, "node(s) didn't match Pod's node affinity/selector");
const enforced = rejectForGood(name, "node(s) didn't match scheduler-enforced node affinity");
const conflict = rejectForGood(name, "pod affinity terms conflict");

interface NodeAffinityArgs {
  /** Node affinity for all pods of the profile, in addition to their own. */
  readonly addedAffinity?: NodeAffinity;
}

const argumentRules: ArgumentRules<NodeAffinityArgs> = {
  complete: (given) => given,
  validate({ addedAffinity }, path) {
    const at = path.child("addedAffinity");
    const {
      requiredDuringSchedulingIgnoredDuringExecution: demanded,
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    } = addedAffinity ?? {};
    const requiredPath = at.child("requiredDuringSchedulingIgnoredDuringExecution");
    const preferredPath = at.child("preferredDuringSchedulingIgnoredDuringExecution");
    return [
      ...(demanded ? compileNodeSelector(demanded, requiredPath).problems : []),
      ...compilePreferredTerms(preferred, preferredPath).problems,
    ].map((problem) => invalid(at, "", problem));
  },
};

/**
 * Rejects nodes that the pod or the configuration doesn't select, and prefers nodes by the pod's preferences.
 *
 * Upstream: pkg/scheduler/framework/plugins/nodeaffinity.
 */
export const nodeAffinity: PluginDeclaration<NodeAffinityArgs> = {
  name,
  weight: 2,
  args: argumentRules,
  make,
};

function make({ addedAffinity }: NodeAffinityArgs): PluginMethods {
  const { requiredDuringSchedulingIgnoredDuringExecution: addedRequired } = addedAffinity ?? {};
  const added = addedRequired && compileNodeSelector(addedRequired);
  const addedTerms = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const addedPreferred = compilePreferredTerms(addedTerms);

  const mayFitNow = (pod: Pod, before: Node | undefined, after: Node | undefined): boolean => {
    if (after === undefined || added?.matches(after) === false) return false;
    const required = compileRequiredNodeAffinity(pod.spec);
    return required.matches(after) && (before === undefined || !required.matches(before));
  };

  return {
    requeueOn: [interest<Pod, Node>("Node", action.Add | action.UpdateNodeLabel, mayFitNow)],
    filter({ pod: { pod } }) {
      const { nodeSelector, affinity } = pod.spec;
      const selector = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      if (!selector && !added && nodeSelector === undefined) return undefined;
      const nodeNames = selector && namedNodes(selector.nodeSelectorTerms ?? []);
      if (nodeNames?.size === 0) return conflict;
      const required = compileRequiredNodeAffinity(pod.spec);
      return {
        nodeNames,
        check({ node }) {
          if (added?.matches(node) === false) return enforced;
          return required.matches(node) ? undefined : mismatch;
        },
      };
    },
    score({ pod: { pod } }) {
      const preferred =
        pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
      if (preferred === undefined && addedTerms.length === 0) return undefined;
      const own = compilePreferredTerms(preferred);
      if (own.problems.length > 0) throw new Error(own.problems.join(", "));
      return {
        score: ({ node }) => own.score(node) + addedPreferred.score(node),
        normalize: (scores) => normalizeScores(scores, false),
      };
    },
  };
}

/** The node names in all terms together; undefined if a term has none. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values = [] }) => new Set(values));
    const [first, ...rest] = named;
    if (first === undefined) return undefined;
    for (const value of first) if (rest.every((set) => set.has(value))) all.add(value);
  }
  return all;
}
