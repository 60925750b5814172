import { memoByIdentities } from "#/std/memory/memo.ts";
import { type FieldNode, FieldSet, memberNode } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { fieldName, type PathElement } from "./path-element.ts";

/**
 * A set adapted to the current schema: a field that became atomic after the set was written is
 * owned as a whole.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/reconcile_schema.go.
 */
export const reconcileFields = (set: FieldSet, type: FieldType): FieldSet => reconciled(type, set);

const reconciled = memoByIdentities(reconcile);

function reconcile(type: FieldType, set: FieldSet): FieldSet {
  if (type.kind !== "map" && type.kind !== "list") return set;
  let nodes: Map<PathElement, FieldNode> | undefined;
  for (const [element, node] of set.nodes) {
    const next = reconcileNode(node, typeOf(type, element));
    if (next === node) continue;
    nodes ??= new Map(set.nodes);
    nodes.set(element, next);
  }
  return nodes ? new FieldSet(nodes) : set;
}

function reconcileNode(node: FieldNode, type: FieldType | undefined): FieldNode {
  if (!type || !node.children) return node;
  if (type.atomic) return memberNode;
  const children = reconcileFields(node.children, type);
  return children === node.children ? node : { member: node.member, children };
}

function typeOf(type: FieldType, element: PathElement): FieldType | undefined {
  if (type.kind === "list") return type.item;
  if (type.fields.size === 0) return type.other;
  const name = fieldName(element);
  return (name === undefined ? undefined : type.fields.get(name)) ?? type.other;
}
