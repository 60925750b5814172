import { ErrorStrategy, type Expected, RecoveryAbandoned } from "./error-strategy.ts";
import type { Issues } from "./issues.ts";
import type { Token, TokenKind } from "./token.ts";

/**
 * Reports syntax errors with the messages of upstream's parser. The rules here are those of the
 * grammar, and only decide where an error is noticed.
 *
 * Upstream: vendor/github.com/google/cel-go/parser/gen/CEL.g4.
 */
export function diagnose(tokens: readonly Token[], issues: Issues): void {
  try {
    new Recognizer(new ErrorStrategy(tokens, issues)).start();
  } catch (error) {
    if (!(error instanceof RecoveryAbandoned)) throw error;
  }
}

type Kinds = readonly (TokenKind | "end")[];

const set = (...kinds: Kinds): Expected => new Set(kinds);

const end = set("end");
const relations = ["<", "<=", ">=", ">", "==", "!=", "in"] as const;
const products = ["*", "/", "%"] as const;
const sums = ["+", "-"] as const;
const literals = [
  ...([
    "-",
    "NUM_INT",
    "NUM_UINT",
    "NUM_FLOAT",
    "STRING",
    "BYTES",
    "true",
    "false",
    "null",
  ] as const),
];
const primaries = [".", "IDENTIFIER", "(", "[", "{", ...literals] as const;
const expressions = ["!", ...primaries] as const;
const names = ["IDENTIFIER", "ESC_IDENTIFIER"] as const;
const afterMember = set(".", "[", "end");
const afterOperand = set(...products, ...sums, "end");

class Recognizer {
  readonly #input: ErrorStrategy;

  constructor(input: ErrorStrategy) {
    this.#input = input;
  }

  start(): void {
    this.#input.rule(end, () => {
      this.#expr(set("<EOF>"));
      this.#match("<EOF>", "start", end);
    });
  }

  #expr(follow: Expected): void {
    this.#input.rule(follow, () => {
      this.#or(set("?", "end"));
      if (!this.#isNext("?")) return;
      this.#match("?", "expr?", set(...expressions));
      this.#or(set(":"));
      this.#match(":", "expr:", set(...expressions));
      this.#expr(end);
    });
  }

  #or(follow: Expected): void {
    this.#chain(follow, "||", (after) => this.#and(after));
  }

  #and(follow: Expected): void {
    this.#chain(follow, "&&", (after) => this.#relation(after, 0));
  }

  #chain(follow: Expected, operator: "||" | "&&", operand: (follow: Expected) => void): void {
    this.#input.rule(follow, () => {
      operand(set(operator, "end"));
      while (this.#isNext(operator)) {
        this.#match(operator, operator, set(...expressions));
        operand(set(operator, "end"));
      }
    });
  }

  #relation(follow: Expected, precedence: number): void {
    this.#input.rule(follow, () => {
      const after = set(...relations, "end");
      this.#calc(after, 0);
      while (precedence <= 1 && this.#isNext(...relations)) {
        this.#match(this.#input.ahead(1), "relation", set(...expressions));
        this.#relation(after, 2);
      }
    });
  }

  #calc(follow: Expected, precedence: number): void {
    this.#input.rule(follow, () => {
      this.#unary(afterOperand);
      for (;;) {
        const isProduct = precedence <= 2 && this.#isNext(...products);
        if (!isProduct && !(precedence <= 1 && this.#isNext(...sums))) return;
        this.#match(this.#input.ahead(1), "calc", set(...expressions));
        this.#calc(afterOperand, isProduct ? 3 : 2);
      }
    });
  }

  #unary(follow: Expected): void {
    const { ahead } = this.#bound();
    this.#input.rule(follow, () => {
      this.#input.sync("unary", set(...expressions));
      const sign = ahead(1);
      const isNumber = ahead(2) === "NUM_INT" || ahead(2) === "NUM_FLOAT";
      if (sign === "!" || (sign === "-" && !isNumber)) {
        do {
          this.#expectOperand(sign);
          this.#match(sign, "unary sign", set(sign, ...primaries));
          this.#input.syncLoop(set(sign, ...primaries));
        } while (this.#isNext(sign));
      }
      this.#member(end);
    });
  }

  /** A minus could also start a number, so the token after it is checked first. */
  #expectOperand(sign: TokenKind): void {
    if (sign !== "-" || primaries.some((kind) => kind === this.#input.ahead(2))) return;
    throw this.#input.noViableAlternative("unary", 2);
  }

  #member(follow: Expected): void {
    this.#input.rule(follow, () => {
      this.#primary(afterMember);
      while (this.#isNext(".", "[")) {
        if (this.#isNext(".")) this.#field();
        else this.#index();
      }
    });
  }

  #field(): void {
    const { ahead } = this.#bound();
    if (ahead(2) !== "?" && !names.some((kind) => kind === ahead(2))) {
      throw this.#input.noViableAlternative("member", 2);
    }
    if (ahead(2) === "IDENTIFIER" && ahead(3) === "(") {
      this.#match(".", "call.", set("IDENTIFIER"));
      this.#match("IDENTIFIER", "call name", set("("));
      this.#arguments(afterMember);
      return;
    }
    this.#match(".", "select.", set("?", ...names));
    if (this.#isNext("?")) this.#match("?", "select?", set(...names));
    this.#name(afterMember);
  }

  #index(): void {
    this.#match("[", "index[", set("?", ...expressions));
    this.#input.sync("index?", set("?", ...expressions));
    if (this.#isNext("?")) this.#match("?", "index?", set(...expressions));
    this.#expr(set("]"));
    this.#match("]", "index]", afterMember);
  }

  #arguments(after: Expected): void {
    this.#match("(", "call(", set(")", ...expressions));
    this.#input.sync("arguments", set(")", ...expressions));
    if (this.#isNext(...expressions)) {
      this.#input.rule(set(")"), () => this.#list((follow) => this.#expr(follow), []));
    }
    this.#match(")", "call)", after);
  }

  /** Parts between commas. A comma before one of the closing tokens is not part of the list. */
  #list(part: (follow: Expected) => void, closing: readonly TokenKind[]): void {
    part(set(",", "end"));
    while (this.#isNext(",") && !closing.includes(this.#input.ahead(2))) {
      this.#match(",", "list,", set("?", ...expressions));
      part(set(",", "end"));
    }
  }

  #primary(follow: Expected): void {
    const { ahead } = this.#bound();
    this.#input.rule(follow, () => {
      this.#input.sync("primary", set(...primaries));
      switch (ahead(1)) {
        case "(":
          this.#match("(", "nested(", set(...expressions));
          this.#expr(set(")"));
          return this.#match(")", "nested)", end);
        case "[":
          this.#match("[", "list[", set("]", ",", "?", ...expressions));
          return this.#literalParts("]", ["?", ...expressions], (after) =>
            this.#optionalExpr(after),
          );
        case "{":
          this.#match("{", "map{", set("}", ",", "?", ...expressions));
          return this.#literalParts("}", ["?", ...expressions], (after) => {
            this.#optionalExpr(set(":"));
            this.#match(":", "map:", set(...expressions));
            this.#expr(after);
          });
        case ".":
        case "IDENTIFIER":
          return this.#nameOrStruct();
        default:
          return this.#literal();
      }
    });
  }

  #literalParts(close: TokenKind, first: Kinds, part: (follow: Expected) => void): void {
    this.#input.sync("literal parts", set(",", close, ...first));
    if (first.some((kind) => kind === this.#input.ahead(1))) {
      this.#input.rule(set(",", close), () => this.#list(part, [close]));
    }
    this.#input.sync("literal comma", set(",", close));
    if (this.#isNext(",")) this.#match(",", "literal,", set(close));
    this.#match(close, "literal close", end);
  }

  #nameOrStruct(): void {
    const { ahead } = this.#bound();
    const first = ahead(1) === "." ? 2 : 1;
    if (ahead(first) !== "IDENTIFIER") throw this.#input.noViableAlternative("primary", first);
    let last = first;
    while (ahead(last + 1) === "." && ahead(last + 2) === "IDENTIFIER") last += 2;
    if (this.#isNext(".")) this.#match(".", "name.", set("IDENTIFIER"));
    this.#match("IDENTIFIER", "name", end);
    if (ahead(1) === "(") {
      this.#arguments(end);
    } else if (this.#isStruct(last - first)) {
      for (let i = first; i < last; i += 2) {
        this.#match(".", "struct.", set("IDENTIFIER"));
        this.#match("IDENTIFIER", "struct name", set(".", "{"));
      }
      this.#match("{", "struct{", set("}", ",", "?", ...names));
      this.#literalParts("}", ["?", ...names], (after) => {
        this.#optionalName(set(":"));
        this.#match(":", "struct:", set(...expressions));
        this.#expr(after);
      });
    }
  }

  /** Whether a brace follows after `distance` more tokens of a name. */
  #isStruct(distance: number): boolean {
    return this.#input.ahead(distance + 1) === "{";
  }

  #optionalExpr(follow: Expected): void {
    this.#input.rule(follow, () => {
      this.#input.sync("optional expr", set("?", ...expressions));
      if (this.#isNext("?")) this.#match("?", "optional?", set(...expressions));
      this.#expr(end);
    });
  }

  #optionalName(follow: Expected): void {
    this.#input.rule(follow, () => {
      this.#input.sync("optional name", set("?", ...names));
      if (this.#isNext("?")) this.#match("?", "optional name?", set(...names));
      this.#name(end);
    });
  }

  #name(follow: Expected): void {
    this.#input.rule(follow, () => {
      this.#input.sync("name", set(...names));
      this.#match(this.#isNext("IDENTIFIER") ? "IDENTIFIER" : "ESC_IDENTIFIER", "name", end);
    });
  }

  #literal(): void {
    const { ahead } = this.#bound();
    if (ahead(1) === "-" && ahead(2) !== "NUM_INT" && ahead(2) !== "NUM_FLOAT") {
      throw this.#input.noViableAlternative("primary", 2);
    }
    this.#input.rule(end, () => {
      this.#input.sync("literal", set(...literals));
      if (this.#isNext("-")) this.#match("-", "literal sign", set("NUM_INT", "NUM_FLOAT"));
      this.#match(ahead(1), "literal", end);
    });
  }

  #bound(): { ahead: (distance: number) => TokenKind } {
    return { ahead: (distance) => this.#input.ahead(distance) };
  }

  #isNext(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.#input.ahead(1));
  }

  #match(kind: TokenKind, place: string, after: Expected): void {
    this.#input.match(kind, place, after);
  }
}
