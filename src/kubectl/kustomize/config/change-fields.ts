/** Upstream: sigs.k8s.io/kustomize/api/filters/{fieldspec,fsslice,filtersutil}. */
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { KustomizeError, within } from "../failure/kustomize-error.ts";
import { idText, isSelected } from "../resource/resource-id.ts";
import { emptyNode } from "../yaml/edit-node.ts";
import { type NodeKind, scalarNode, tags, type YamlNode } from "../yaml/yaml-node.ts";
import { type FieldSpec, splitPath } from "./field-spec.ts";

interface FieldChange {
  /** Changes a field in place. */
  readonly change: (node: YamlNode) => void;
  /** The kind of node to create for an absent field, if the specification has create. */
  readonly create?: { readonly kind: NodeKind; readonly tag: string };
}

/** Changes the fields of an object that a specification matches, in all items of lists on the path. */
export function changeFields(object: YamlNode, spec: FieldSpec, change: FieldChange): void {
  const kind = object.field("kind")?.value ?? "";
  const gvk = { ...parseApiVersion(object.field("apiVersion")?.value ?? ""), kind };
  if (!isSelected(gvk, spec)) return;
  try {
    walk(object, splitPath(spec.path), spec.create === true, change);
  } catch (error) {
    const metadata = object.field("metadata");
    const name = metadata?.field("name")?.value ?? "";
    const namespace = metadata?.field("namespace")?.value ?? "";
    const id = idText({ ...gvk, name, namespace });
    throw within(`considering field '${spec.path}' of object ${id}`, error);
  }
}

export function changeAllFields(
  object: YamlNode,
  specs: readonly FieldSpec[],
  change: FieldChange,
): void {
  for (const spec of specs) changeFields(object, spec, change);
}

function walk(node: YamlNode, path: readonly string[], create: boolean, change: FieldChange): void {
  if (path.length === 0) {
    change.change(node);
    return;
  }
  if (node.isNull) return;
  if (node.kind === "sequence") {
    try {
      for (const item of node.items) walk(item, path, create, change);
    } catch (error) {
      throw within(`visit traversal on path: [${path.join(" ")}]`, error);
    }
  } else if (node.kind === "mapping") walkMapping(node, path, create, change);
  else throw new KustomizeError("expected sequence or mapping node");
}

function walkMapping(
  node: YamlNode,
  [step = "", ...rest]: readonly string[],
  create: boolean,
  change: FieldChange,
): void {
  const name = step.endsWith("[]") ? step.slice(0, -2) : step;
  const isList = name !== step;
  if (name === "") throw new KustomizeError("cannot set or create an empty field name");
  const made = !create || !change.create || isList ? undefined : madeNode(rest, change.create);
  let field = node.field(name);
  if (!field && made) {
    field = made;
    node.entries.push({ key: scalarNode(name), value: field });
  }
  if (!field) return;
  const shape = made ?? (isList ? emptyNode("sequence") : undefined);
  if (field.isNull && shape) {
    field.kind = shape.kind;
    field.tag = made ? expectedTag(rest, change) : tags.none;
  }
  walk(field, rest, create, change);
}

function madeNode(rest: readonly string[], create: { kind: NodeKind }): YamlNode {
  return emptyNode(rest.length === 0 ? create.kind : "mapping");
}

function expectedTag(rest: readonly string[], { create }: FieldChange): string {
  return rest.length === 0 ? (create?.tag ?? tags.none) : tags.mapping;
}
