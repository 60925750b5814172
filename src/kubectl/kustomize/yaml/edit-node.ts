/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/fns.go. */
import { isOldNonString } from "./resolve-scalar.ts";
import { writeNode } from "./write-node.ts";
import { isMissingOrNull, mappingNode, type NodeKind, scalarNode, YamlNode } from "./yaml-node.ts";

/** A node is not of the required kind. */
export class NodeKindError extends Error {
  override readonly name = "NodeKindError";
  readonly actual: NodeKind;

  constructor(expected: NodeKind, node: YamlNode) {
    super(
      `wrong node kind: expected ${kindNames[expected]} but got ${kindNames[node.kind]}: node contents:\n${writeNode(node)}`,
    );
    this.actual = node.kind;
  }
}

const kindNames: Readonly<Record<NodeKind, string>> = {
  scalar: "ScalarNode",
  mapping: "MappingNode",
  sequence: "SequenceNode",
};

export function requireKind(node: YamlNode | undefined, kind: NodeKind): void {
  if (isMissingOrNull(node)) return;
  const present: YamlNode = node;
  if (present.kind !== kind) throw new NodeKindError(kind, present);
}

/** Quotes a text that YAML 1.1 would parse as another type. */
function quoteIfMisread(value: YamlNode): void {
  if (value.isText && value.style === "plain" && isOldNonString(value.value)) {
    value.style = "double";
  }
}

/** Sets a scalar in place; it keeps its style. */
export function setScalar(node: YamlNode, value: YamlNode): void {
  quoteIfMisread(value);
  requireKind(node, "scalar");
  if (value.isNull) return;
  value.style = node.style;
  node.assign(value);
}

/** Sets a field; an existing one keeps its style, undefined removes it. */
export function setField(mapping: YamlNode, name: string, value: YamlNode | undefined): void {
  if (value !== undefined) quoteIfMisread(value);
  requireKind(mapping, "mapping");
  if (value === undefined || (value.isNull && !value.isKept)) {
    mapping.removeField(name);
    return;
  }
  const existing = mapping.isNull ? undefined : mapping.field(name);
  if (existing) {
    value.style = existing.style;
    existing.assign(value);
  } else mapping.entries.push({ key: scalarNode(name), value });
}

/** The mapping at a field, created if it is absent. */
export function ensureMapping(mapping: YamlNode, name: string): YamlNode {
  const existing = mapping.field(name);
  if (existing) return existing;
  const made = mappingNode();
  mapping.entries.push({ key: scalarNode(name), value: made });
  return made;
}

/** An empty node of a kind. */
export function emptyNode(kind: NodeKind): YamlNode {
  return new YamlNode(kind);
}
