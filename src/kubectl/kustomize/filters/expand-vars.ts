/** Upstream: sigs.k8s.io/kustomize/api/filters/refvar. */
import { changeFields } from "../config/change-fields.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Resource } from "../resource/resource.ts";
import { tags, type YamlNode } from "../yaml/yaml-node.ts";

/** A value that may be inserted into a text. */
export type VarValue = string | number | boolean;

/** Replaces `$(NAME)` by values; returns the names that were used. */
export function expandVars(
  resources: readonly Resource[],
  values: ReadonlyMap<string, VarValue>,
  specs: readonly FieldSpec[],
): ReadonlySet<string> {
  const used = new Set<string>();
  const lookUpValue = (name: string): VarValue => {
    const value = values.get(name);
    if (value === undefined) return `$(${name})`;
    used.add(name);
    return value;
  };
  const change = (node: YamlNode): void => expandNode(node, lookUpValue);
  for (const { node } of resources) for (const spec of specs) changeFields(node, spec, { change });
  return used;
}

function expandNode(node: YamlNode, lookUpValue: (name: string) => VarValue): void {
  if (node.isNull) return;
  if (node.kind === "scalar") {
    if (node.isText) expandScalar(node, lookUpValue);
  } else if (node.kind === "mapping") {
    for (const { key, value } of node.entries) {
      if (!key.isText) {
        throw new KustomizeError(`invalid map key: value='${key.value}', tag='${key.tag}'`);
      }
      if (value.isText) expandScalar(value, lookUpValue);
    }
  } else {
    for (const item of node.items) {
      if (!item.isText) throw new KustomizeError("invalid value type expect a string");
      expandScalar(item, lookUpValue);
    }
  }
}

function expandScalar(node: YamlNode, lookUpValue: (name: string) => VarValue): void {
  const value = expandText(node.value, lookUpValue);
  node.value = String(value);
  node.style = "plain";
  if (typeof value === "boolean") node.tag = tags.boolean;
  else if (typeof value === "number")
    node.tag = Number.isInteger(value) ? tags.integer : tags.float;
  else node.tag = tags.string;
}

/** A text with its references replaced: `$$` is a dollar sign; a reference alone keeps the type of its value. */
function expandText(text: string, lookUpValue: (name: string) => VarValue): VarValue {
  let whole: VarValue | undefined;
  const expanded = text.replace(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return "$";
    const value = lookUpValue(name);
    if (match === text) whole = value;
    return String(value);
  });
  return whole ?? expanded;
}
