/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/rnode.go, go.yaml.in/yaml/v3/decode.go. */
import { parseYamlTree } from "#/machinery/codec/yaml/yaml-document.ts";
import { formatShortest } from "#/std/go/float.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { isMap, isScalar } from "#/std/text/yaml.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";
import { needsQuotes, resolveText, tagOfText } from "./resolve-scalar.ts";
import { writeNode } from "./write-node.ts";
import { mappingNode, scalarNode, sequenceNode, tags, YamlNode } from "./yaml-node.ts";

/** The JSON value of a node, as read after it was written. */
export function jsonOf(node: YamlNode): unknown {
  if (hasDuplicateKeys(node)) throw duplicateKeys(node);
  return plainValue(node, true);
}

function plainValue(node: YamlNode, isRoot = false): unknown {
  if (node.kind === "sequence") return node.items.map((item) => plainValue(item));
  if (node.kind === "scalar") return scalarValue(node);
  if (!isRoot && node.entries.some(({ key }) => keyType(key) !== "string")) {
    throw new KustomizeError("json: unsupported type: map[interface {}]interface {}");
  }
  return Object.fromEntries(node.entries.map(({ key, value }) => [key.value, plainValue(value)]));
}

function keyType(key: YamlNode): string {
  if (key.style !== "plain" && key.style !== "tagged") return "string";
  return key.tag === tags.string ? "string" : resolveText(key.value).type;
}

/** A scalar in quotes, or over several lines, is a string whatever its tag is. */
function scalarValue({ tag, value, style }: YamlNode): unknown {
  const isPlain = style === "plain" || style === "flow";
  if (
    tag === tags.string ||
    (!isPlain && style !== "tagged") ||
    (isPlain && value.includes("\n"))
  ) {
    return value;
  }
  const resolved = resolveText(value);
  if (tag.startsWith("!") && !tag.startsWith("!!")) return value;
  if (tag === "!!binary") return Buffer.from(value, "base64").toString("utf8");
  const found = tagNames[resolved.type];
  if (tag !== "" && tag !== found && !(tag === tags.float && found === tags.integer)) {
    throw new KustomizeError(`yaml: cannot decode ${found} \`${value}\` as a ${tag}`);
  }
  switch (resolved.type) {
    case "null":
      return null;
    case "integer":
      return safeInteger(resolved.value);
    case "timestamp":
      return timestampText(resolved.value);
    case "float":
      if (Number.isFinite(resolved.value)) return resolved.value;
      throw new KustomizeError(`json: unsupported value: ${nonFinite(resolved.value)}`);
    default:
      return resolved.value;
  }
}

const tagNames = {
  string: tags.string,
  timestamp: "!!timestamp",
  null: tags.null,
  boolean: tags.boolean,
  integer: tags.integer,
  float: tags.float,
} as const;

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

function safeInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Go writes times in full. */
function timestampText(text: string): string {
  const [, date = "", time = "", zone = ""] =
    /^(\d{4}-\d\d?-\d\d?)(?:[Tt ]+([\d:.,]+)(Z|[-+]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const padded = date.replace(/-(\d)(?=-|$)/g, "-0$1");
  const [hours = "0", minutes = "0", seconds = "0"] = (time || "0:0:0").split(":");
  const [whole = "0", fraction = ""] = seconds.split(/[.,]/);
  const digits = fraction.replace(/0+$/, "");
  const clock = [hours, minutes, whole].map((part) => part.padStart(2, "0")).join(":");
  const offset = zone === "" || zone === "+00:00" ? "Z" : zone;
  return `${padded}T${clock}${digits && `.${digits}`}${offset}`;
}

/** Whether a mapping has a key twice. */
export function hasDuplicateKeys(node: YamlNode): boolean {
  if (node.kind === "sequence") return node.items.some(hasDuplicateKeys);
  if (node.kind !== "mapping") return false;
  const names = new Set(node.entries.map(({ key }) => key.value));
  return (
    names.size < node.entries.length || node.entries.some(({ value }) => hasDuplicateKeys(value))
  );
}

/** Names the lines of duplicate keys in the written document. */
function duplicateKeys(node: YamlNode): KustomizeError {
  const { root, lineAt } = parseYamlTree(writeNode(node));
  const problems: string[] = [];
  const visit = (part: unknown): void => {
    if (isMap(part)) {
      const lines = new Map<string, number>();
      for (const { key, value } of part.items) {
        const text = isScalar(key) ? String(key.value) : "";
        const line = lineAt((isScalar(key) ? key.range?.[0] : undefined) ?? 0);
        const first = lines.get(text);
        if (first === undefined) lines.set(text, line);
        else {
          problems.push(
            `  line ${line}: mapping key ${goQuote(text)} already defined at line ${first}`,
          );
        }
        visit(value);
      }
    } else if (typeof part === "object" && part !== null && "items" in part) {
      for (const item of part.items as unknown[]) visit(item);
    }
  };
  visit(root);
  return new KustomizeError(`yaml: unmarshal errors:\n${problems.join("\n")}`);
}

/** A node for a JSON value, its keys sorted. */
export function nodeOf(value: unknown): YamlNode {
  if (Array.isArray(value)) return sequenceNode(value.map(nodeOf));
  if (typeof value === "object" && value !== null) {
    const node = mappingNode();
    for (const name of Object.keys(value).sort()) {
      node.entries.push({
        key: textNode(name),
        value: nodeOf((value as Record<string, unknown>)[name]),
      });
    }
    return node;
  }
  if (typeof value === "string") return textNode(value);
  if (typeof value === "boolean") return scalarNode(String(value), tags.boolean);
  if (typeof value === "number" || typeof value === "bigint") {
    // Go's JSON decoder makes all numbers floats.
    const text = formatShortest(Number(value));
    return scalarNode(text, tagOfText(text));
  }
  return scalarNode("null", tags.null);
}

function textNode(text: string): YamlNode {
  const style = text.includes("\n") ? "literal" : needsQuotes(text) ? "double" : "plain";
  return new YamlNode("scalar", tags.string, text, style);
}
