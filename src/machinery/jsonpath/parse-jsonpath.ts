import {
  type Expression,
  type FilterOperator,
  JsonPathError,
  type JsonPathNode,
  type TemplatePart,
} from "./jsonpath-node.ts";

/** Deeper nesting of filters and ranges than anyone writes. */
const maxDepth = 64;

/** Reads a template such as `{.items[*].metadata.name}`. Throws JsonPathError. */
export function parseTemplate(template: string): readonly TemplatePart[] {
  const parser = new Parser(template);
  const parts = parser.template(0);
  return parts;
}

/** Reads one path without braces, with or without a leading dot: `.spec.replicas`. */
export function parsePath(path: string): Expression {
  const text =
    path.startsWith(".") || path.startsWith("[") || path.startsWith("$") ? path : `.${path}`;
  const parser = new Parser(text);
  const expression = parser.expression(0);
  parser.expectEnd();
  return expression;
}

class Parser {
  readonly #text: string;
  #at = 0;
  /** How many filters are open: operators and parentheses end a name only there. */
  #filters = 0;

  constructor(text: string) {
    this.#text = text;
  }

  template(depth: number): TemplatePart[] {
    if (depth > maxDepth) throw new JsonPathError("template is nested too deeply");
    const parts: TemplatePart[] = [];
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf("{", this.#at);
      const end = open < 0 ? this.#text.length : open;
      if (end > this.#at) parts.push({ type: "text", text: this.#text.slice(this.#at, end) });
      this.#at = end;
      if (open < 0) break;
      this.#at++;
      this.#spaces();
      if (this.#word("end")) {
        this.#close();
        if (depth === 0) throw new JsonPathError("not in range, nothing to end");
        return parts;
      }
      parts.push(...this.#action(depth));
    }
    if (depth > 0) throw new JsonPathError("unterminated range");
    return parts;
  }

  #action(depth: number): TemplatePart[] {
    if (this.#word("range")) {
      this.#spaces();
      const over = this.expression(depth);
      this.#close();
      return [{ type: "range", over, body: this.template(depth + 1) }];
    }
    const parts: TemplatePart[] = [];
    while (this.#peek() !== "}") {
      if (this.#at >= this.#text.length) throw new JsonPathError("unclosed action");
      const quote = this.#peek();
      const start = this.#at;
      if (quote === '"' || quote === "'") parts.push({ type: "text", text: this.#quoted() });
      else parts.push({ type: "expression", expression: this.expression(depth) });
      if (this.#at === start) throw this.#unrecognized();
      this.#spaces();
    }
    this.#close();
    return parts;
  }

  /** A path up to where it can't go on: a brace, a space, a comma, an operator or a closing bracket. */
  expression(depth: number): Expression {
    if (depth > maxDepth) throw new JsonPathError("expression is nested too deeply");
    const literal = this.#literal();
    if (literal) return literal;
    const steps: JsonPathNode[] = [];
    if (this.#peek() === "$" || this.#peek() === "@") this.#at++;
    for (;;) {
      const step = this.#step(depth);
      if (!step) return { steps };
      steps.push(...step);
    }
  }

  expectEnd(): void {
    this.#spaces();
    if (this.#at < this.#text.length) throw this.#unrecognized();
  }

  #unrecognized(): JsonPathError {
    const [word] = /^\w+/.exec(this.#text.slice(this.#at)) ?? [];
    return new JsonPathError(
      word === undefined
        ? `unrecognized character in action: ${codePoint(this.#text, this.#at)}`
        : `unrecognized identifier ${word}`,
    );
  }

  #literal(): Expression | undefined {
    const first = this.#peek();
    if (first === '"' || first === "'") return { literal: this.#quoted() };
    const match = /^(?:[+-]?[0-9]+(?:\.[0-9]+)?|true|false)(?![\w.])/.exec(
      this.#text.slice(this.#at, this.#at + 64),
    );
    if (!match) return undefined;
    this.#at += match[0].length;
    if (match[0] === "true" || match[0] === "false") return { literal: match[0] === "true" };
    return { literal: Number(match[0]) };
  }

  #step(depth: number): JsonPathNode[] | undefined {
    const rest = this.#text.slice(this.#at, this.#at + 2);
    if (rest === "..") {
      this.#at += 2;
      const name = this.#fieldName();
      return name === ""
        ? [{ type: "recursive" }]
        : [{ type: "recursive" }, { type: "field", name }];
    }
    if (rest.startsWith(".")) {
      this.#at++;
      if (this.#peek() === "*") {
        this.#at++;
        return [{ type: "wildcard" }];
      }
      if (this.#peek() === "[") return [];
      const name = this.#fieldName();
      return name === "" ? [] : [{ type: "field", name }];
    }
    if (rest.startsWith("[")) {
      this.#at++;
      return [this.#bracket(depth)];
    }
    return undefined;
  }

  /** Up to a character that means something; a backslash takes that meaning away. */
  #fieldName(): string {
    let name = "";
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? "";
      if (char === "\\") {
        name += this.#text[this.#at + 1] ?? "";
        this.#at += 2;
      } else if ((this.#filters > 0 ? endsNameInFilter : endsName).test(char)) break;
      else {
        name += char;
        this.#at++;
      }
    }
    return name;
  }

  #bracket(depth: number): JsonPathNode {
    if (!this.#text.includes("]", this.#at)) throw new JsonPathError("unterminated array");
    this.#spaces();
    if (this.#peek() === "?") return this.#filter(depth);
    if (this.#peek() === "*") {
      this.#at++;
      this.#expect("]");
      return { type: "wildcard" };
    }
    const alternatives: JsonPathNode[] = [];
    for (;;) {
      this.#spaces();
      alternatives.push(this.#alternative(depth));
      this.#spaces();
      if (this.#peek() !== ",") break;
      this.#at++;
    }
    this.#expect("]");
    const [only] = alternatives;
    if (alternatives.length === 1 && only) return only;
    return { type: "union", alternatives: alternatives.map((step) => ({ steps: [step] })) };
  }

  #alternative(depth: number): JsonPathNode {
    const char = this.#peek();
    if (char === "'") return { type: "field", name: this.#quoted() };
    if (char === "." || char === "@" || char === "$") {
      return { type: "union", alternatives: [this.expression(depth + 1)] };
    }
    const match = /^(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?/.exec(
      this.#text.slice(this.#at, this.#at + 64),
    );
    const [all = "", start = "", end, step] = match ?? [];
    if (all === "")
      throw new JsonPathError(
        `invalid array index ${this.#text.slice(this.#at).split(/[\],]/)[0]}`,
      );
    this.#at += all.length;
    const number = (text: string | undefined) => (text ? Number(text) : undefined);
    const from = number(start);
    const to = number(end);
    const by = number(step);
    return {
      type: "array",
      ...(from === undefined ? {} : { start: from }),
      ...(to === undefined ? {} : { end: to }),
      ...(by === undefined ? {} : { step: by }),
      single: end === undefined,
    };
  }

  #filter(depth: number): JsonPathNode {
    this.#at++;
    this.#expect("(");
    this.#filters++;
    this.#spaces();
    const left = this.expression(depth + 1);
    this.#spaces();
    const match = /^(==|!=|<=|>=|<|>)/.exec(this.#text.slice(this.#at, this.#at + 2));
    const operator = (match?.[0] ?? "") as FilterOperator;
    this.#at += operator.length;
    this.#spaces();
    const right = operator === "" ? undefined : this.expression(depth + 1);
    this.#spaces();
    if (this.#peek() !== ")") throw new JsonPathError("unterminated filter");
    this.#filters--;
    this.#at++;
    this.#spaces();
    this.#expect("]");
    return { type: "filter", left, operator, ...(right ? { right } : {}) };
  }

  #quoted(): string {
    const quote = this.#text[this.#at++];
    let text = "";
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at++] ?? "";
      if (char === quote) return text;
      if (char !== "\\") text += char;
      else text += escapes[this.#text[this.#at] ?? ""] ?? this.#text[this.#at] ?? "";
      if (char === "\\") this.#at++;
    }
    throw new JsonPathError("unterminated quoted string");
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    if (/[\w.]/.test(this.#text[this.#at + word.length] ?? "")) return false;
    this.#at += word.length;
    this.#spaces();
    return true;
  }

  #close(): void {
    this.#spaces();
    if (this.#peek() !== "}") throw new JsonPathError("unclosed action");
    this.#at++;
  }

  #expect(char: string): void {
    if (this.#peek() !== char)
      throw new JsonPathError(
        char === "]" ? "unterminated array" : `unexpected character, expected ${char}`,
      );
    this.#at++;
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #spaces(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}

const endsName = /[\s.,[\]$@{}]/;
const endsNameInFilter = /[\s.,[\]$@{}()!<>=]/;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function codePoint(text: string, at: number): string {
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code} '${String.fromCodePoint(text.codePointAt(at) ?? 0)}'`;
}
