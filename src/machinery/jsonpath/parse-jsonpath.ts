/** Upstream: staging/src/k8s.io/client-go/util/jsonpath/parser.go. */
import { append } from "#/std/base/append.ts";
import { goUnquote } from "#/std/go/go-unquote.ts";
import {
  type JsonPath,
  JsonPathError,
  type JsonPathNode,
  type TemplatePart,
} from "./jsonpath-node.ts";

/** Limit of nested filters and unions (levels). */
const maxDepth = 64;

/** Reads a template such as `{.items[*].metadata.name}`. Throws JsonPathError. */
export function parseTemplate(template: string): readonly TemplatePart[] {
  return new Parser(template, 0).template();
}

/** Reads one path without braces: `.spec.replicas`. Throws JsonPathError. */
export function parsePath(path: string): JsonPath {
  return parseAction(path, 0);
}

/** The path of the first action of `{text}`. */
function parseAction(text: string, depth: number): JsonPath {
  if (depth > maxDepth) throw new JsonPathError("path is nested too deeply");
  const [part] = new Parser(`{${text}}`, depth).template();
  return part?.type === "path" ? part.path : [];
}

const endOfLine = /[\r\n]/;
const terminator = /[ \t\r\n.,[\]$@{}]/;
const letterOrDigit = /[\p{L}\p{Nd}_]/u;
const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/;

class Parser {
  readonly #text: string;
  readonly #depth: number;
  #at = 0;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  template(): TemplatePart[] {
    const parts: TemplatePart[] = [];
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf("{", this.#at);
      const end = open < 0 ? this.#text.length : open;
      if (end > this.#at) parts.push({ type: "text", text: this.#text.slice(this.#at, end) });
      this.#at = end;
      if (open < 0) break;
      this.#at++;
      parts.push({ type: "path", path: this.#path() });
    }
    return parts;
  }

  #path(): JsonPath {
    const nodes: JsonPathNode[] = [];
    while (!this.#takes("}")) append(nodes, this.#nodes(nodes.at(-1)));
    return nodes;
  }

  /** The nodes that start here; none for spaces and for the current object. */
  #nodes(before: JsonPathNode | undefined): JsonPath {
    if (this.#takes("[?(")) return [this.#filter()];
    if (this.#takes("..")) return this.#recursive(before);
    const char = this.#next();
    if (char === "" || endOfLine.test(char)) throw new JsonPathError("unclosed action");
    if (char === " " || char === "@" || char === "$") return [];
    if (char === "[") return this.#bracket();
    if (char === '"' || char === "'") return [this.#quoted(char)];
    if (char === ".") return [this.#field()];
    this.#at -= char.length;
    if (/[+\-\p{Nd}]/u.test(char)) return [this.#number()];
    if (letterOrDigit.test(char)) return [this.#identifier()];
    throw new JsonPathError(`unrecognized character in action: ${codePointText(char)}`);
  }

  #recursive(before: JsonPathNode | undefined): JsonPath {
    if (before?.type === "recursive") throw new JsonPathError("invalid multiple recursive descent");
    const isNamed = letterOrDigit.test(this.#peek());
    return [{ type: "recursive" }, ...(isNamed ? [this.#field()] : [])];
  }

  /** Reads up to a special character that is not escaped by a backslash. */
  #field(): JsonPathNode {
    const start = this.#at;
    for (let char = this.#peek(); char !== "" && !terminator.test(char); char = this.#peek()) {
      this.#at += char.length;
      if (char === "\\") this.#next();
    }
    const name = this.#text.slice(start, this.#at);
    return name === "*" ? { type: "wildcard" } : { type: "field", name: name.replaceAll("\\", "") };
  }

  #number(): JsonPathNode {
    const [text = ""] = /^[+-]?[.\p{Nd}]*/u.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += text.length;
    if (/^[+-]?\d+$/.test(text)) return { type: "number", value: Number(text), isInteger: true };
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) {
      throw new JsonPathError(`cannot parse number ${text}`);
    }
    return { type: "number", value: Number(text), isInteger: false };
  }

  #identifier(): JsonPathNode {
    const start = this.#at;
    while (this.#peek() !== "" && !terminator.test(this.#peek())) this.#next();
    const name = this.#text.slice(start, this.#at);
    if (name === "true" || name === "false") return { type: "boolean", value: name === "true" };
    return { type: "identifier", name };
  }

  #quoted(quote: string): JsonPathNode {
    const start = this.#at - 1;
    for (;;) {
      const char = this.#next();
      if (char === "" || char === "\n") throw new JsonPathError("unterminated quoted string");
      if (char === quote && this.#text[this.#at - 2] !== "\\") break;
    }
    const value = this.#text.slice(start, this.#at);
    const text = goUnquote(value);
    if (text === undefined) {
      throw new JsonPathError(`unquote string ${value} error invalid syntax`);
    }
    return { type: "text", text };
  }

  #bracket(): JsonPath {
    const end = this.#text.slice(this.#at).search(/[\]\n]/);
    if (end < 0 || this.#text[this.#at + end] === "\n") {
      throw new JsonPathError("unterminated array");
    }
    const inner = this.#text.slice(this.#at, this.#at + end);
    this.#at += end + 1;
    const text = inner === "*" ? ":" : inner;
    const several = text.split(",");
    if (several.length > 1) {
      const alternatives = several.map((each) => this.#action(`[${each.replace(/^ +| +$/g, "")}]`));
      return [{ type: "union", alternatives }];
    }
    const [, key] = /^'([^']*)'$/.exec(text) ?? [];
    if (key !== undefined) return this.#action(`.${key}`);
    return [sliceNode(text)];
  }

  #filter(): JsonPathNode {
    const start = this.#at;
    let quote = "";
    let isClosed = false;
    for (;;) {
      const char = this.#next();
      if (char === "" || char === "\n") throw new JsonPathError("unterminated filter");
      if ((char === '"' || char === "'") && quote === "") quote = char;
      else if (char === quote && this.#text[this.#at - 2] !== "\\") isClosed = true;
      else if (char === ")" && (quote !== "") === isClosed) break;
    }
    if (this.#next() !== "]") throw new JsonPathError("unclosed array expect ]");
    const text = this.#text.slice(start, this.#at - 2);
    const [, left, operator = "", right = ""] = comparison.exec(text) ?? [];
    if (left === undefined) {
      return { type: "filter", left: this.#action(text), operator: "exists", right: [] };
    }
    return { type: "filter", left: this.#action(left), operator, right: this.#action(right) };
  }

  #action(text: string): JsonPath {
    return parseAction(text, this.#depth + 1);
  }

  #takes(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #next(): string {
    const char = this.#peek();
    this.#at += char.length;
    return char;
  }
}

function sliceNode(text: string): JsonPathNode {
  const match = slice.exec(text);
  if (!match) throw new JsonPathError(`invalid array index ${text}`);
  const [, start = "", end, step] = match;
  const single = end === undefined;
  const from = numberOf(start);
  return {
    type: "array",
    start: from,
    end: single ? (from ?? 0) + 1 : numberOf(end.slice(1)),
    step: step === undefined ? undefined : numberOf(step.slice(1)),
    single,
  };
}

function numberOf(text: string): number | undefined {
  if (text === "") return undefined;
  if (text === "-") throw new JsonPathError(`array index ${text} is not a number`);
  return Number(text);
}

function codePointText(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char) ? `U+${code} '${char}'` : `U+${code}`;
}
