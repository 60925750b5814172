/** Upstream: Go's text/template/parse/parse.go. */

import { goQuote } from "#/std/go/go-quote.ts";
import { goUnquote, goUnquoteCharacter } from "#/std/go/go-unquote.ts";
import { lexTemplate, type Token, type TokenType } from "./lex-template.ts";
import {
  type CommandNode,
  nodeText,
  type Operand,
  type PipeNode,
  TemplateError,
  type TemplateNode,
} from "./template-node.ts";

/** A template and those it defines. */
export interface ParsedTemplate {
  readonly name: string;
  readonly text: string;
  readonly body: readonly TemplateNode[];
  readonly defined: ReadonlyMap<string, readonly TemplateNode[]>;
}

/** Reads a template. Throws TemplateError. */
export function parseTemplate(
  name: string,
  text: string,
  functions: ReadonlySet<string>,
): ParsedTemplate {
  const parser = new Parser(name, text, functions);
  const body = parser.top();
  return { name, text, body, defined: parser.defined };
}

/** Limit of nested parentheses and actions; Go limits the former. */
const maxDepth = 1_000;

type Ending = "end" | "else";

class Parser {
  readonly defined = new Map<string, readonly TemplateNode[]>();
  readonly #name: string;
  readonly #text: string;
  readonly #functions: ReadonlySet<string>;
  readonly #tokens: readonly Token[];
  #next = 0;
  #variables: string[] = ["$"];
  #rangeDepth = 0;
  #depth = 0;

  constructor(name: string, text: string, functions: ReadonlySet<string>) {
    this.#name = name;
    this.#text = text;
    this.#functions = functions;
    this.#tokens = lexTemplate(text);
  }

  top(): TemplateNode[] {
    const nodes: TemplateNode[] = [];
    while (this.#peek().type !== "end") {
      const parsed = this.#textOrAction();
      if (typeof parsed === "string") throw this.#fail(`unexpected {{${parsed}}}`);
      nodes.push(...parsed);
    }
    return nodes;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { type: "end", text: "", at: this.#text.length };
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #peekNonSpace(): Token {
    while (this.#peek().type === "space") this.#next++;
    return this.#peek();
  }

  #takeNonSpace(): Token {
    this.#peekNonSpace();
    return this.#take();
  }

  #fail(message: string): TemplateError {
    const { at } = this.#tokens[Math.max(0, this.#next - 1)] ?? { at: 0 };
    const line = 1 + (this.#text.slice(0, at).match(/\n/g)?.length ?? 0);
    return new TemplateError(`template: ${this.#name}:${line}: ${message}`);
  }

  #unexpected(token: Token, context: string): TemplateError {
    if (token.type === "error") return this.#fail(token.text);
    return this.#fail(`unexpected ${tokenText(token)} in ${context}`);
  }

  #expect(type: TokenType, context: string): Token {
    const token = this.#takeNonSpace();
    if (token.type !== type) throw this.#unexpected(token, context);
    return token;
  }

  /** Increases the depth; the parser is recursive. */
  #deeper<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) throw this.#fail("max expression depth exceeded");
    const result = parse();
    this.#depth--;
    return result;
  }

  #list(): { nodes: TemplateNode[]; ending: Ending } {
    return this.#deeper(() => this.#listHere());
  }

  #listHere(): { nodes: TemplateNode[]; ending: Ending } {
    const nodes: TemplateNode[] = [];
    while (this.#peekNonSpace().type !== "end") {
      const parsed = this.#textOrAction();
      if (typeof parsed === "string") return { nodes, ending: parsed };
      nodes.push(...parsed);
    }
    throw this.#fail("unexpected EOF");
  }

  #textOrAction(): TemplateNode[] | Ending {
    const token = this.#takeNonSpace();
    if (token.type === "text") return [{ type: "text", at: token.at, text: token.text }];
    if (token.type === "left") return this.#action();
    throw this.#unexpected(token, "input");
  }

  #action(): TemplateNode[] | Ending {
    const token = this.#peekNonSpace();
    if (token.type !== "keyword" || token.text === "nil") {
      const pipe = this.#pipeline("command", "right");
      return [{ type: "action", at: token.at, pipe }];
    }
    this.#takeNonSpace();
    switch (token.text) {
      case "if":
      case "with":
      case "range":
        return [this.#control(token.text, token.at)];
      case "end":
        this.#expect("right", "end");
        return "end";
      case "else":
        return this.#else();
      case "break":
      case "continue":
        return [this.#jump(token.text, token.at)];
      case "template":
        return [this.#templateCall()];
      case "define":
        return this.#define();
      default:
        return this.#block();
    }
  }

  #else(): Ending {
    const peeked = this.#peekNonSpace();
    const isChain = peeked.type === "keyword" && (peeked.text === "if" || peeked.text === "with");
    if (!isChain) this.#expect("right", "else");
    return "else";
  }

  #jump(type: "break" | "continue", at: number): TemplateNode {
    const token = this.#takeNonSpace();
    if (token.type !== "right") throw this.#unexpected(token, `{{${type}}}`);
    if (this.#rangeDepth === 0) throw this.#fail(`{{${type}}} outside {{range}}`);
    return { type, at };
  }

  #control(type: "if" | "with" | "range", at: number): TemplateNode {
    const outer = this.#variables.length;
    const pipe = this.#pipeline(type, "right");
    if (type === "range") this.#rangeDepth++;
    const { nodes: body, ending } = this.#list();
    if (type === "range") this.#rangeDepth--;
    const otherwise = ending === "else" ? this.#otherwise(type) : undefined;
    this.#variables.length = outer;
    return { type, at, pipe, body, otherwise };
  }

  #otherwise(type: "if" | "with" | "range"): TemplateNode[] {
    const token = this.#peek();
    const chained = type !== "range" && token.type === "keyword" && token.text === type;
    if (chained) {
      this.#take();
      return this.#deeper(() => [this.#control(type, token.at)]);
    }
    if (token.type === "keyword") throw this.#unexpected(this.#takeNonSpace(), "else");
    const { nodes, ending } = this.#list();
    if (ending !== "end") throw this.#fail("expected end; found {{else}}");
    return nodes;
  }

  #templateCall(): TemplateNode {
    const { at } = this.#peekNonSpace();
    const name = this.#quotedName("template clause");
    const isEmpty = this.#peekNonSpace().type === "right";
    if (isEmpty) this.#takeNonSpace();
    const pipe = isEmpty ? undefined : this.#pipeline("template clause", "right");
    return { type: "template", at, name, pipe };
  }

  #quotedName(context: string): string {
    const token = this.#takeNonSpace();
    if (token.type === "string") return this.#unquoted(token.text);
    if (token.type === "rawString") return token.text.slice(1, -1);
    throw this.#unexpected(token, context);
  }

  #define(): TemplateNode[] {
    const name = this.#quotedName("define clause");
    this.#expect("right", "define clause");
    this.#defineBody(name, "define clause");
    return [];
  }

  #block(): TemplateNode[] {
    const { at } = this.#peekNonSpace();
    const name = this.#quotedName("block clause");
    const pipe = this.#pipeline("block clause", "right");
    this.#defineBody(name, "block clause");
    return [{ type: "template", at, name, pipe }];
  }

  #defineBody(name: string, context: string): void {
    const variables = this.#variables;
    this.#variables = ["$"];
    const { nodes, ending } = this.#list();
    this.#variables = variables;
    if (ending !== "end") throw this.#fail(`unexpected {{else}} in ${context}`);
    this.defined.set(name, nodes);
  }

  #pipeline(context: string, end: TokenType): PipeNode {
    const { at } = this.#peekNonSpace();
    const { variables, isAssignment } = this.#declarations(context);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.#takeNonSpace();
      if (token.type === end) break;
      if (!startsOperand(token)) throw this.#unexpected(token, context);
      this.#next--;
      commands.push(this.#command());
    }
    this.#checkPipeline(commands, context);
    return { type: "pipe", at, variables, isAssignment, commands };
  }

  #checkPipeline(commands: readonly CommandNode[], context: string): void {
    if (commands.length === 0) throw this.#fail(`missing value for ${context}`);
    for (const [i, { args }] of commands.slice(1).entries()) {
      const [first] = args;
      if (first && ["constant", "dot", "nil"].includes(first.type)) {
        throw this.#fail(`non executable command in pipeline stage ${i + 2}`);
      }
    }
  }

  #declarations(context: string): { variables: string[]; isAssignment: boolean } {
    const variables: string[] = [];
    const start = this.#next;
    while (this.#peekNonSpace().type === "variable") {
      const variable = this.#take();
      const next = this.#peekNonSpace();
      if (next.type === "declare" || next.type === "assign") {
        this.#take();
        variables.push(variable.text);
        if (next.type === "declare") this.#variables.push(...variables);
        return { variables, isAssignment: next.type === "assign" };
      }
      if (next.type !== "char" || context !== "range" || variables.length > 0) break;
      this.#take();
      variables.push(variable.text);
    }
    this.#next = start;
    return { variables: [], isAssignment: false };
  }

  #command(): CommandNode {
    const { at } = this.#peekNonSpace();
    const args: Operand[] = [];
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand) args.push(operand);
      const token = this.#take();
      if (token.type === "space") continue;
      if (token.type === "right" || token.type === "close") this.#next--;
      else if (token.type !== "pipe") throw this.#unexpected(token, "operand");
      break;
    }
    if (args.length === 0) throw this.#fail("empty command");
    return { type: "command", at, args };
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    if (node === undefined) return undefined;
    const { type, at } = this.#peek();
    if (type !== "field") return node;
    const names: string[] = [];
    while (this.#peek().type === "field") names.push(this.#take().text.slice(1));
    if (node.type === "field" || node.type === "variable") {
      return { ...node, at, names: [...node.names, ...names] };
    }
    if (node.type === "constant" || node.type === "nil" || node.type === "dot") {
      throw this.#fail(`unexpected . after term ${goQuote(nodeText(node))}`);
    }
    return { type: "chain", at, node, names };
  }

  #term(): Operand | undefined {
    const { type, text, at } = this.#takeNonSpace();
    switch (type) {
      case "identifier":
        if (!this.#functions.has(text)) throw this.#fail(`function ${goQuote(text)} not defined`);
        return { type: "identifier", at, name: text };
      case "dot":
        return { type: "dot", at };
      case "variable":
        if (!this.#variables.includes(text))
          throw this.#fail(`undefined variable ${goQuote(text)}`);
        return { type: "variable", at, names: [text] };
      case "field":
        return { type: "field", at, names: [text.slice(1)] };
      case "open":
        return this.#deeper(() => this.#pipeline("parenthesized pipeline", "close"));
      default:
        return this.#constant({ type, text, at });
    }
  }

  #constant(token: Token): Operand | undefined {
    const { type, text, at } = token;
    if (type === "keyword" && text === "nil") return { type: "nil", at };
    if (type === "bool") return { type: "constant", at, value: text === "true", text };
    if (type === "number") return { type: "constant", at, value: this.#number(text), text };
    if (type === "string") return { type: "constant", at, value: this.#unquoted(text), text };
    if (type === "rawString") return { type: "constant", at, value: text.slice(1, -1), text };
    if (type === "charConstant") {
      const value = goUnquoteCharacter(text);
      if (value === undefined) throw this.#fail(`malformed character constant: ${text}`);
      return { type: "constant", at, value, text };
    }
    this.#next--;
    return undefined;
  }

  #unquoted(text: string): string {
    const value = goUnquote(text);
    if (value === undefined) throw this.#fail("invalid syntax");
    return value;
  }

  #number(text: string): number {
    const value = Number(text.replaceAll("_", "").replace(/^\+/, ""));
    if (Number.isNaN(value)) throw this.#fail(`bad number syntax: ${goQuote(text)}`);
    return value;
  }
}

function startsOperand({ type, text }: Token): boolean {
  return (
    [
      "bool",
      "charConstant",
      "dot",
      "field",
      "identifier",
      "number",
      "rawString",
      "string",
      "variable",
      "open",
    ].includes(type) ||
    (type === "keyword" && text === "nil")
  );
}

function tokenText({ type, text }: Token): string {
  if (type === "end") return "EOF";
  if (type === "keyword" || type === "dot") return `<${text}>`;
  return text.length > 10 ? `${goQuote(text.slice(0, 10))}...` : goQuote(text);
}
