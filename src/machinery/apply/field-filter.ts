import { emptyFieldSet, type FieldNode, FieldSet, fieldNode } from "./field-set.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/**
 * The fields that a request can set. The resource's strategy resets the others (a write to
 * pods/status cannot change the spec), so the request gets no ownership of them.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go (Filter).
 */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** Keeps all fields but these and those below them; a path is a list of field names. */
export function excludeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = FieldSet.of(...paths.map((path) => path.map(fieldElement)));
  return (set) => set.recursiveDifference(excluded);
}

/** Wildcard in a path of includeFields: matches any element. */
export const anyElement = Symbol("any path element");

type Pattern = readonly (string | typeof anyElement)[];

/** Keeps only the fields on one of these paths, above or below its end. */
export function includeFields(...patterns: readonly Pattern[]): FieldFilter {
  return (set) => keep(set, patterns);
}

function keep(set: FieldSet, patterns: readonly Pattern[]): FieldSet {
  if (patterns.some((pattern) => pattern.length === 0)) return set;
  const nodes = new Map<PathElement, FieldNode>();
  for (const [element, node] of set.nodes) {
    const below = patterns.filter(([first]) => first === anyElement || element === `f:${first}`);
    if (below.length === 0) continue;
    const children =
      node.children &&
      keep(
        node.children,
        below.map((pattern) => pattern.slice(1)),
      );
    const kept = fieldNode(node.member, children);
    if (kept) nodes.set(element, kept);
  }
  return nodes.size === 0 ? emptyFieldSet : new FieldSet(nodes);
}
