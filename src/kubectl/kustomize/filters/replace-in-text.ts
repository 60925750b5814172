/** Upstream: sigs.k8s.io/kustomize/api/filters/replacement. */
import { goJson } from "#/machinery/values/go-format.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { findAll, lookUp } from "../yaml/node-path.ts";
import { jsonOf } from "../yaml/node-value.ts";
import { readNode } from "../yaml/read-nodes.ts";
import { writeNode } from "../yaml/write-node.ts";
import type { NodeKind, YamlNode } from "../yaml/yaml-node.ts";

/**
 * Sets fields of a JSON or YAML document inside a field, such as a file in a ConfigMap. Returns false
 * if a path does not lead into a document.
 */
export function replaceInText(
  object: YamlNode,
  value: YamlNode,
  path: readonly string[],
  create: NodeKind | undefined,
): boolean {
  try {
    const found = findDocument(object, path);
    if (!found) return false;
    const { scalar, document, rest } = found;
    const fields = findAll(document, rest, create);
    if (!fields || fields.length === 0) return false;
    for (const field of fields) {
      if (field.kind === "scalar") field.value = value.value;
      else field.assign(value);
    }
    scalar.value = documentText(document, scalar.value);
    return true;
  } catch {
    return false;
  }
}

/** The first scalar on a path that contains a document. */
function findDocument(
  object: YamlNode,
  path: readonly string[],
): { scalar: YamlNode; document: YamlNode; rest: readonly string[] } | undefined {
  for (let length = 1; length < path.length; length++) {
    const scalar = attempt(() => lookUp(object, path.slice(0, length)));
    if (scalar?.kind !== "scalar") continue;
    const document = attempt(() => readNode(scalar.value));
    if (document) return { scalar, document, rest: path.slice(length) };
  }
  return undefined;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** A document in its previous format. */
function documentText(document: YamlNode, original: string): string {
  if (!/^\s*[{[]/.test(original)) return writeNode(document).trim();
  const isIndented = original.includes("\n") && original.includes("  ");
  return goJson(sortedKeys(jsonOf(document)), isIndented ? "  " : "");
}
