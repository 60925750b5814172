/** Upstream: go.yaml.in/yaml/v3/{encode,emitterc}.go. */
import { escapeCharacter, needsEscape, scalarStyle } from "#/machinery/codec/yaml/yaml-scalar.ts";
import { tagOfText } from "./resolve-scalar.ts";
import { type NodeStyle, tags, type YamlNode } from "./yaml-node.ts";

/** Writes a node as in its source: same order and styles, lists not indented, lines not folded. */
export function writeNode(node: YamlNode): string {
  if (node.kind === "scalar") return `${scalarText(node, 0)}\n`;
  if (node.style === "flow" || isEmpty(node)) return `${flowText(node)}\n`;
  return `${blockLines(node, 0).join("\n")}\n`;
}

function isEmpty(node: YamlNode): boolean {
  return node.kind === "mapping" ? node.entries.length === 0 : node.items.length === 0;
}

function isBlock(node: YamlNode): boolean {
  return node.kind !== "scalar" && node.style !== "flow" && !isEmpty(node);
}

function blockLines(node: YamlNode, indent: number): string[] {
  const pad = " ".repeat(indent);
  if (node.kind === "sequence") {
    return node.items.flatMap((item) => {
      if (!isBlock(item)) return `${pad}- ${inlineText(item, indent + 2)}`.split("\n");
      const [first = "", ...rest] = blockLines(item, indent + 2);
      return [`${pad}- ${first.slice(indent + 2)}`, ...rest];
    });
  }
  return node.entries.flatMap(({ key, value }) => {
    const name = `${pad}${inlineText(key, indent)}:`;
    if (!isBlock(value)) {
      const text = inlineText(value, indent + 2);
      return text === "" ? [name] : `${name} ${text}`.split("\n");
    }
    return [name, ...blockLines(value, value.kind === "sequence" ? indent : indent + 2)];
  });
}

function inlineText(node: YamlNode, indent: number): string {
  return node.kind === "scalar" ? scalarText(node, indent) : flowText(node);
}

function flowText(node: YamlNode): string {
  if (node.kind === "scalar") return scalarText(node, 0, true);
  if (node.kind === "sequence") return `[${node.items.map(flowText).join(", ")}]`;
  const parts = node.entries.map(({ key, value }) => `${flowText(key)}: ${flowText(value)}`);
  return `{${parts.join(", ")}}`;
}

/** The tag to write, and whether a string needs quotes to stay a string. */
function presentation({ tag, style, value }: YamlNode): { tag: string; isQuoted: boolean } {
  if (tag === "" || style === "tagged") return { tag, isQuoted: false };
  if (tag === tags.string && style !== "plain") return { tag: "", isQuoted: false };
  if (tagOfText(value) === tag) return { tag: "", isQuoted: false };
  return tag === tags.string ? { tag: "", isQuoted: true } : { tag, isQuoted: false };
}

function scalarText(node: YamlNode, indent: number, isFlow = false): string {
  const { tag, isQuoted } = presentation(node);
  const prefix = tag === "" ? "" : `${tag} `;
  const style = chosenStyle(node, isQuoted, isFlow);
  if (style === "double") return `${prefix}${doubleQuoted(node.value)}`;
  if (style === "single") return `${prefix}'${node.value.replaceAll("'", "''")}'`;
  if (style === "literal" || style === "folded") {
    return `${prefix}${blockScalar(node.value, indent, style)}`;
  }
  return `${prefix}${node.value}`;
}

function chosenStyle(node: YamlNode, isQuoted: boolean, isFlow: boolean): NodeStyle {
  const { value } = node;
  let style: NodeStyle = node.style === "flow" || node.style === "tagged" ? "plain" : node.style;
  if (style === "plain" && value.includes("\n")) style = "literal";
  else if (style === "plain" && isQuoted) style = "double";
  const allowed = scalarStyle(value, false);
  if (style === "plain" && [...value].some(isUnprintable)) return "double";
  if (style === "plain" && allowed === "single" && value !== "") return "single";
  if (style === "plain" && isFlow && /[,[\]{}]/.test(value)) return "single";
  if ((style === "literal" || style === "folded") && (isFlow || allowed === "double"))
    return "double";
  return style;
}

function isUnprintable(character: string): boolean {
  return needsEscape(character) && character !== '"' && character !== "\\";
}

function doubleQuoted(text: string): string {
  const escaped = [...text].map((character) =>
    needsEscape(character) ? escapeCharacter(character) : character,
  );
  return `"${escaped.join("")}"`;
}

function blockScalar(text: string, indent: number, style: "literal" | "folded"): string {
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const chomp = !text.endsWith("\n") ? "-" : /^\n$|\n\n$/.test(text) ? "+" : "";
  const pad = " ".repeat(Math.max(indent, 2));
  const lines = text.replace(/\n$/, "").split("\n");
  const body = lines.map((line) => (line === "" ? "" : `${pad}${line}`)).join("\n");
  return `${style === "literal" ? "|" : ">"}${hint}${chomp}\n${body}`;
}
