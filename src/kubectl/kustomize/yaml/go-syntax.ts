/** Upstream: fmt of Go (%#v). */
import { formatShortest } from "#/std/go/float.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { resolveText } from "./resolve-scalar.ts";
import { tags, type YamlNode } from "./yaml-node.ts";

/** Order of keys of several types. */
const typeOrder = ["integer", "float", "string", "boolean", "null", "timestamp"];

/** A node as Go prints the decoded value in source syntax. */
export function goSyntax(node: YamlNode, isRoot = true): string {
  if (node.kind === "sequence") {
    return `[]interface {}{${node.items.map((item) => goSyntax(item, false)).join(", ")}}`;
  }
  if (node.kind === "scalar") return scalarSyntax(node);
  const keys = node.entries.map(({ key, value }) => ({ key, value, type: typeOf(key) }));
  const isPlain = isRoot || keys.every(({ type }) => type === "string");
  const sorted = keys.toSorted((left, right) => {
    const byType = typeOrder.indexOf(left.type) - typeOrder.indexOf(right.type);
    return byType !== 0 && !isPlain ? byType : left.key.value < right.key.value ? -1 : 1;
  });
  const entries = sorted.map(({ key, value }) => {
    const name = isPlain ? goQuote(key.value) : scalarSyntax(key);
    return `${name}:${goSyntax(value, false)}`;
  });
  return `map[${isPlain ? "string" : "interface {}"}]interface {}{${entries.join(", ")}}`;
}

function typeOf({ tag, style, value }: YamlNode): string {
  if (tag === tags.string || (style !== "plain" && style !== "tagged")) return "string";
  return resolveText(value).type;
}

function scalarSyntax(node: YamlNode): string {
  if (typeOf(node) === "string") return goQuote(node.value);
  const resolved = resolveText(node.value);
  if (resolved.type === "null") return "interface {}(nil)";
  if (resolved.type === "float") return formatShortest(resolved.value);
  return resolved.type === "timestamp" ? goQuote(resolved.value) : String(resolved.value);
}
