/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/fns.go. */
import { requireKind } from "../yaml/edit-node.ts";
import { isNilOrEmpty, type YamlNode } from "../yaml/yaml-node.ts";

/** The item of a list with given values of keys; an empty key means the item itself. */
export function findItem(
  list: YamlNode | undefined,
  keys: readonly string[],
  values: readonly string[],
): YamlNode | undefined {
  if (list?.kind !== "sequence") return undefined;
  if (keys.length === 0 || keys[0] === "") {
    return list.items.find(({ value }) => value === (values[0] ?? ""));
  }
  return list.items.find(
    (item) =>
      item.kind === "mapping" &&
      keys.every((key, index) => item.field(key)?.value === (values[index] ?? "")),
  );
}

/** Replaces the item with the same keys, or adds one at the end; undefined removes the item. */
export function putItem(
  list: YamlNode,
  item: YamlNode | undefined,
  keys: readonly string[],
  values: readonly string[],
): void {
  const setsMappings = (keys[0] ?? "") !== "" && (values[0] ?? "") !== "";
  const kept: YamlNode[] = [];
  let isFound = false;
  for (const each of list.items) {
    if (each.isNull || (each.kind === "mapping" && isNilOrEmpty(each))) continue;
    if (each.kind !== "mapping" && setsMappings) kept.push(each);
    else if (!matches(each, keys, values)) {
      if (values.length > 0) kept.push(each);
    } else {
      isFound = true;
      if (item) kept.push(item);
    }
  }
  if (item && !isFound) kept.push(item);
  list.items = kept;
}

function matches(item: YamlNode, keys: readonly string[], values: readonly string[]): boolean {
  return keys.every((key, index) => {
    // A key without a value is handled as the key before it.
    if (index >= values.length) return index > 0;
    const value = values[index] ?? "";
    if (key === "") {
      requireKind(item, "scalar");
      return item.value === value;
    }
    const field = item.field(key);
    return field !== undefined && (value === "" || field.value === value);
  });
}
