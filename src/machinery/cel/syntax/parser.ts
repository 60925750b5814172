import type { Literal } from "../value/literal.ts";
import { balance } from "./balance.ts";
import { diagnose } from "./diagnose.ts";
import type { Expr, ListElement, MapEntry, StructField } from "./expr.ts";
import { Issues } from "./issues.ts";
import { tokenize } from "./lexer.ts";
import { Factory, type Macro, MacroError, macroKey } from "./macro.ts";
import { parseFloating, parseInteger, parseUnsigned } from "./number-literal.ts";
import { noOffset, type Source } from "./source.ts";
import type { Token, TokenKind } from "./token.ts";
import { LiteralError, unescapeBytes, unescapeString } from "./unescape.ts";

/** Limit of an expression (code points). */
const maxExpressionSize = 100_000;

/** Limit of nesting of one kind of expression (levels). */
const maxDepth = 250;

/** Names that are not allowed for variables or functions, but for fields. */
const reserved: ReadonlySet<string> = new Set([
  ...["as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in"],
  ...["let", "loop", "package", "namespace", "null", "return", "true", "var", "void", "while"],
]);

/**
 * Parses an expression and expands its macros. Errors are reported; then the result must not be
 * used.
 *
 * Upstream: vendor/github.com/google/cel-go/parser/parser.go.
 */
export function parse(source: Source, macros: ReadonlyMap<string, Macro>, issues: Issues): Expr {
  const broken: Expr = { kind: "broken", offset: noOffset };
  if (source.length > maxExpressionSize) {
    const size = `size: ${source.length}, limit ${maxExpressionSize}`;
    issues.report(noOffset, `expression code point size exceeds limit: ${size}`);
    return broken;
  }
  const tokens = tokenize(source, issues);
  const found = new Issues(source);
  try {
    const { expr, height } = new Parser(tokens, macros, found).start();
    if (height > maxDepth) throw new DepthError("max recursion depth exceeded");
    issues.append(found);
    return expr;
  } catch (error) {
    if (error instanceof SyntaxFailure) diagnose(tokens, issues);
    else if (error instanceof DepthError) issues.report(noOffset, error.message);
    else throw error;
    return broken;
  }
}

/** The tokens are not a valid expression; diagnose() finds the position and the message. */
class SyntaxFailure extends Error {}

class DepthError extends Error {}

/** An expression with its depth of nested operations. */
interface Parsed {
  readonly expr: Expr;
  readonly height: number;
}

const relations: ReadonlySet<TokenKind> = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
const products: ReadonlySet<TokenKind> = new Set(["*", "/", "%"]);
const sums: ReadonlySet<TokenKind> = new Set(["+", "-"]);

/** Recursive rules. */
type Rule = "expr" | "relation" | "calc" | "member";

class Parser {
  readonly #tokens: readonly Token[];
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #issues: Issues;
  #position = 0;
  /** The depth of each recursive rule, as the limit counts it. */
  readonly #depths: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 };

  constructor(tokens: readonly Token[], macros: ReadonlyMap<string, Macro>, issues: Issues) {
    this.#tokens = tokens;
    this.#macros = macros;
    this.#issues = issues;
  }

  start(): Parsed {
    const parsed = this.#expr();
    this.#take("<EOF>");
    return parsed;
  }

  #expr(): Parsed {
    this.#enter("expr");
    const condition = this.#logical("||", () => this.#logical("&&", () => this.#relation(0)));
    const question = this.#takeIf("?");
    if (question === undefined) {
      this.#depths.expr--;
      return condition;
    }
    const truthy = this.#logical("||", () => this.#logical("&&", () => this.#relation(0)));
    this.#take(":");
    const falsy = this.#expr();
    this.#depths.expr--;
    return this.#operation(question, "_?_:_", condition, truthy, falsy);
  }

  #logical(operator: "&&" | "||", operand: () => Parsed): Parsed {
    const first = operand();
    if (this.#peek.kind !== operator) return first;
    const terms = [first];
    const offsets: number[] = [];
    for (let token = this.#takeIf(operator); token; token = this.#takeIf(operator)) {
      offsets.push(token.offset);
      terms.push(operand());
    }
    const exprs = terms.map(({ expr }) => expr);
    return { expr: balance(`_${operator}_`, exprs, offsets), height: highest(terms) };
  }

  #relation(precedence: number): Parsed {
    this.#enter("relation");
    let left = this.#calc(0);
    while (precedence <= 1 && relations.has(this.#peek.kind)) {
      const operator = this.#next();
      const name = operator.kind === "in" ? "@in" : `_${operator.kind}_`;
      left = this.#operation(operator, name, left, this.#relation(2));
    }
    this.#depths.relation--;
    return left;
  }

  #calc(precedence: number): Parsed {
    this.#enter("calc");
    let left = this.#unary();
    for (;;) {
      const isProduct = precedence <= 2 && products.has(this.#peek.kind);
      if (!isProduct && !(precedence <= 1 && sums.has(this.#peek.kind))) break;
      const operator = this.#next();
      left = this.#operation(operator, `_${operator.kind}_`, left, this.#calc(isProduct ? 3 : 2));
    }
    this.#depths.calc--;
    return left;
  }

  #unary(): Parsed {
    const { kind } = this.#peek;
    if (kind !== "!" && (kind !== "-" || this.#startsNegativeNumber())) return this.#member();
    const first = this.#next();
    let count = 1;
    for (; this.#takeIf(kind) !== undefined; ) count++;
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    const expr = this.#call(first.offset, kind === "!" ? "!_" : "-_", [operand.expr]);
    return { expr, height: operand.height };
  }

  #startsNegativeNumber(): boolean {
    const after = this.#ahead(1).kind;
    return after === "NUM_INT" || after === "NUM_FLOAT";
  }

  #member(): Parsed {
    this.#enter("member");
    let operand = this.#primary();
    while (this.#peek.kind === "." || this.#peek.kind === "[") {
      operand = this.#peek.kind === "." ? this.#field(operand) : this.#index(operand);
    }
    this.#depths.member--;
    return operand;
  }

  #field(operand: Parsed): Parsed {
    const dot = this.#take(".");
    const optional = this.#takeIf("?") !== undefined;
    const name = this.#takeIf("ESC_IDENTIFIER") ?? this.#take("IDENTIFIER");
    if (!optional && name.kind === "IDENTIFIER" && this.#peek.kind === "(") {
      const { offset } = this.#take("(");
      const args = this.#arguments();
      const exprs = args.map(({ expr }) => expr);
      const expr = this.#call(offset, name.text, exprs, operand.expr);
      return { expr, height: 1 + highest([operand, ...args]) };
    }
    const field = name.kind === "IDENTIFIER" ? name.text : name.text.slice(1, -1);
    const height = operand.height + 1;
    const { offset } = dot;
    if (!optional) {
      return {
        expr: { kind: "select", offset, operand: operand.expr, field, testOnly: false },
        height,
      };
    }
    const literal: Expr = { kind: "literal", offset: name.offset, value: field };
    return {
      expr: { kind: "call", offset, name: "_?._", args: [operand.expr, literal] },
      height,
    };
  }

  #index(operand: Parsed): Parsed {
    const bracket = this.#take("[");
    const optional = this.#takeIf("?") !== undefined;
    const index = this.#expr();
    this.#take("]");
    return this.#operation(bracket, optional ? "_[?_]" : "_[_]", operand, index);
  }

  #primary(): Parsed {
    const token = this.#peek;
    switch (token.kind) {
      case "(": {
        this.#next();
        const inner = this.#expr();
        this.#take(")");
        return inner;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#map();
      case ".":
      case "IDENTIFIER":
        return this.#name();
      default:
        return { expr: this.#literal(), height: 0 };
    }
  }

  #name(): Parsed {
    if (this.#startsStruct()) return this.#struct();
    const dot = this.#takeIf(".");
    const name = this.#take("IDENTIFIER");
    const text = dot === undefined ? name.text : `.${name.text}`;
    const open = this.#takeIf("(");
    const args = open === undefined ? [] : this.#arguments();
    if (reserved.has(name.text)) {
      const expr = this.#report(dot?.offset ?? name.offset, `reserved identifier: ${name.text}`);
      return { expr, height: highest(args) };
    }
    if (open === undefined) {
      return { expr: { kind: "ident", offset: name.offset, name: text }, height: 0 };
    }
    const exprs = args.map(({ expr }) => expr);
    return { expr: this.#call(open.offset, text, exprs), height: highest(args) };
  }

  /** Whether a type name and a brace follow: a.b.C{. */
  #startsStruct(): boolean {
    let ahead = this.#peek.kind === "." ? 1 : 0;
    if (this.#ahead(ahead).kind !== "IDENTIFIER") return false;
    while (this.#ahead(ahead + 1).kind === "." && this.#ahead(ahead + 2).kind === "IDENTIFIER") {
      ahead += 2;
    }
    return this.#ahead(ahead + 1).kind === "{";
  }

  #struct(): Parsed {
    let typeName = this.#takeIf(".") === undefined ? "" : ".";
    typeName += this.#take("IDENTIFIER").text;
    while (this.#takeIf(".") !== undefined) typeName += `.${this.#take("IDENTIFIER").text}`;
    const { offset } = this.#take("{");
    const values: Parsed[] = [];
    const fields = this.#sequence<StructField>("}", () => {
      const optional = this.#takeIf("?") !== undefined;
      const name = this.#takeIf("ESC_IDENTIFIER") ?? this.#take("IDENTIFIER");
      const colon = this.#take(":");
      const value = this.#expr();
      values.push(value);
      const text = name.kind === "IDENTIFIER" ? name.text : name.text.slice(1, -1);
      return { offset: colon.offset, name: text, value: value.expr, optional };
    });
    return { expr: { kind: "struct", offset, typeName, fields }, height: highest(values) };
  }

  #list(): Parsed {
    const { offset } = this.#take("[");
    const values: Parsed[] = [];
    const elements = this.#sequence<ListElement>("]", () => {
      const optional = this.#takeIf("?") !== undefined;
      const value = this.#expr();
      values.push(value);
      return { value: value.expr, optional };
    });
    return { expr: { kind: "list", offset, elements }, height: highest(values) };
  }

  #map(): Parsed {
    const { offset } = this.#take("{");
    const values: Parsed[] = [];
    const entries = this.#sequence<MapEntry>("}", () => {
      const optional = this.#takeIf("?") !== undefined;
      const key = this.#expr();
      const colon = this.#take(":");
      const value = this.#expr();
      values.push(key, value);
      return { offset: colon.offset, key: key.expr, value: value.expr, optional };
    });
    return { expr: { kind: "map", offset, entries }, height: highest(values) };
  }

  /** Parts between commas up to the closing bracket; a trailing comma is allowed. */
  #sequence<T>(close: TokenKind, part: () => T): T[] {
    const parts: T[] = [];
    while (this.#peek.kind !== close) {
      if (parts.length === 0 && this.#takeIf(",") !== undefined) break;
      parts.push(part());
      if (this.#takeIf(",") === undefined) break;
    }
    this.#take(close);
    return parts;
  }

  #arguments(): Parsed[] {
    const args: Parsed[] = [];
    if (this.#takeIf(")") !== undefined) return args;
    do args.push(this.#expr());
    while (this.#takeIf(",") !== undefined);
    this.#take(")");
    return args;
  }

  #literal(): Expr {
    const sign = this.#takeIf("-");
    const token = this.#next();
    const offset = sign?.offset ?? token.offset;
    const value = this.#literalValue(token, sign === undefined ? "" : "-");
    if (typeof value === "object" && value !== null && "problem" in value) {
      return this.#report(offset, value.problem);
    }
    return { kind: "literal", offset, value };
  }

  #literalValue(token: Token, sign: string): Literal | { problem: string } {
    const { kind, text } = token;
    if (kind === "NUM_INT") return parseInteger(sign, text) ?? { problem: "invalid int literal" };
    if (kind === "NUM_FLOAT")
      return parseFloating(sign + text) ?? { problem: "invalid double literal" };
    if (sign !== "") throw new SyntaxFailure();
    if (kind === "NUM_UINT") return parseUnsigned(text) ?? { problem: "invalid uint literal" };
    if (kind === "true" || kind === "false") return kind === "true";
    if (kind === "null") return null;
    try {
      if (kind === "STRING") return unescapeString(text);
      if (kind === "BYTES") return unescapeBytes(text.slice(1));
    } catch (error) {
      if (error instanceof LiteralError) return { problem: error.message };
      throw error;
    }
    throw new SyntaxFailure();
  }

  #operation(operator: Token, name: string, ...operands: readonly Parsed[]): Parsed {
    const exprs = operands.map(({ expr }) => expr);
    return { expr: this.#call(operator.offset, name, exprs), height: 1 + highest(operands) };
  }

  /** A call, or the expansion of its macro. */
  #call(offset: number, name: string, args: readonly Expr[], target?: Expr): Expr {
    const macro = this.#macros.get(macroKey(name, args.length, target !== undefined));
    if (macro === undefined) {
      return target === undefined
        ? { kind: "call", offset, name, args }
        : { kind: "call", offset, name, target, args };
    }
    try {
      return macro.expand(new Factory(offset), args, target);
    } catch (error) {
      if (error instanceof MacroError) return this.#report(error.offset, error.message);
      throw error;
    }
  }

  #report(offset: number, message: string): Expr {
    this.#issues.report(offset, message);
    return { kind: "broken", offset };
  }

  #enter(rule: Rule): void {
    this.#depths[rule]++;
    if (this.#depths[rule] > maxDepth) {
      throw new DepthError(`expression recursion limit exceeded: ${maxDepth}`);
    }
  }

  get #peek(): Token {
    return this.#ahead(0);
  }

  /** A later token; after the end all tokens are the end. */
  #ahead(distance: number): Token {
    const token = this.#tokens[this.#position + distance] ?? this.#tokens.at(-1);
    if (token === undefined) throw new SyntaxFailure();
    return token;
  }

  #next(): Token {
    const token = this.#peek;
    this.#position++;
    return token;
  }

  #takeIf(kind: TokenKind): Token | undefined {
    return this.#peek.kind === kind ? this.#next() : undefined;
  }

  #take(kind: TokenKind): Token {
    if (this.#peek.kind !== kind) throw new SyntaxFailure();
    return this.#next();
  }
}

function highest(parts: readonly Parsed[]): number {
  return parts.reduce((height, part) => Math.max(height, part.height), 0);
}
