import { type FieldNode, FieldSet } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { fieldName, isKeyElement, type PathElement } from "./path-element.ts";

/**
 * The set with every named struct field that has fields of the set below it. Sets omit such fields
 * because they exist only with their content; for removal they count.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go
 * (EnsureNamedFieldsAreMembers).
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  let changed = false;
  const nodes = new Map<PathElement, FieldNode>();
  for (const [element, node] of set.nodes) {
    const name = fieldName(element);
    const below = node.children && withNamedFields(node.children, typeBelow(type, element, name));
    const member =
      node.member ||
      (below !== undefined && name !== undefined && (type?.fields.has(name) ?? false));
    const same = member === node.member && below === node.children;
    changed ||= !same;
    nodes.set(element, same ? node : { member, children: below });
  }
  return changed ? new FieldSet(nodes) : set;
}

function typeBelow(
  type: FieldType | undefined,
  element: PathElement,
  name: string | undefined,
): FieldType | undefined {
  if (name !== undefined)
    return type?.kind === "any" ? type : (type?.fields.get(name) ?? type?.other);
  return isKeyElement(element) ? type?.item : undefined;
}
