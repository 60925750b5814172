import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PreferredSchedulingTerm,
} from "#/api/core/v1.ts";
import { append } from "#/std/base/append.ts";
import { formatFieldError, invalid, JsonValue, notSupported } from "../meta/field-error.ts";
import { type FieldPath, fieldPath } from "../meta/field-path.ts";
import { type FieldRequirement, FieldSelector } from "../meta/fields.ts";
import {
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
  Selector,
  SelectorError,
  selectorFromLabels,
} from "../meta/labels.ts";

/** The fields of a node that selectors read. */
interface SelectableNode {
  readonly metadata: Pick<Node["metadata"], "name" | "labels">;
}

/**
 * A compiled node selector. An invalid term matches no node; its problems are reported, since
 * upstream fails a pod for them when no other term matches.
 *
 * Upstream: staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
 */
export interface NodeMatcher {
  matches(node: SelectableNode): boolean;
  readonly problems: readonly string[];
}

/** Compiles the terms of a node selector, any of which may match; empty terms match nothing. */
export function compileNodeSelector(selector: NodeSelector, path?: FieldPath): NodeMatcher {
  const at = path?.child("nodeSelectorTerms") ?? fieldPath("nodeSelectorTerms");
  const problems: string[] = [];
  const terms = (selector.nodeSelectorTerms ?? []).flatMap((term, index) => {
    const matcher = compileTerm(term, at.index(index));
    append(problems, matcher.problems);
    return matcher.problems.length > 0 ? [] : [matcher];
  });
  return { matches: (node) => terms.some((term) => term.matches(node)), problems };
}

/** Compiles a pod's requirements of its node: both spec.nodeSelector and required node affinity. */
export function compileRequiredNodeAffinity(
  spec: Pick<PodSpec, "nodeSelector" | "affinity">,
): NodeMatcher {
  const labels = selectorFromLabels(spec.nodeSelector);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) {
    return { matches: ({ metadata }) => labels.matches(metadata.labels), problems: [] };
  }
  const terms = compileNodeSelector(required);
  return {
    matches: (node) => labels.matches(node.metadata.labels) && terms.matches(node),
    problems: terms.problems,
  };
}

/** Compiles preferred terms; the score is the sum of the weights of those that a node matches. */
export function compilePreferredTerms(
  preferred: readonly PreferredSchedulingTerm[] | undefined,
  path?: FieldPath,
): { score(node: SelectableNode): number; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const terms = (preferred ?? []).flatMap(({ weight, preference }, index) => {
    if (weight === 0) return [];
    const matcher = compileTerm(preference, indexOf(path, index));
    append(problems, matcher.problems);
    return [{ weight, matcher }];
  });
  return {
    score: (node) =>
      terms.reduce((sum, { weight, matcher }) => sum + (matcher.matches(node) ? weight : 0), 0),
    problems,
  };
}

/** As upstream, the path of an item without a parent is [0]. */
const indexOf = (path: FieldPath | undefined, index: number): FieldPath =>
  path?.index(index) ?? fieldPath(`[${index}]`);

const noNode: NodeMatcher = { matches: () => false, problems: [] };

function compileTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  path: FieldPath,
): NodeMatcher {
  if (matchExpressions.length === 0 && matchFields.length === 0) return noNode;
  const problems: string[] = [];
  const labels = matchExpressions.flatMap((expression, index) => {
    return compileExpression(expression, path.child("matchExpressions").index(index), problems);
  });
  const fields = matchFields.flatMap((expression, index) => {
    return compileField(expression, path.child("matchFields").index(index), problems);
  });
  if (problems.length > 0) return { matches: () => false, problems };
  const labelSelector = new Selector(labels);
  const fieldSelector = new FieldSelector(fields);
  return {
    matches({ metadata: { name = "", labels: nodeLabels } }) {
      if (!labelSelector.matches(nodeLabels)) return false;
      if (name === "") return true;
      return fieldSelector.matches((field) => (field === "metadata.name" ? name : ""));
    },
    problems,
  };
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

function compileExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  problems: string[],
): LabelRequirement[] {
  const short = operators.get(operator);
  if (short === undefined) {
    const error = notSupported(path.child("operator"), new JsonValue(operator), operators.keys());
    problems.push(formatFieldError(error));
    return [];
  }
  try {
    return [labelRequirement(key, short, values, path)];
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    problems.push(error.message);
    return [];
  }
}

function compileField(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  problems: string[],
): FieldRequirement[] {
  if (operator !== "In" && operator !== "NotIn") {
    const allowed = ["In", "NotIn"];
    const error = notSupported(path.child("operator"), new JsonValue(operator), allowed);
    problems.push(formatFieldError(error));
    return [];
  }
  const [value] = values;
  if (value === undefined || values.length > 1) {
    problems.push(formatFieldError(invalid(path.child("values"), values, "must have one element")));
    return [];
  }
  return [{ field: key, operator: operator === "In" ? "=" : "!=", value }];
}
