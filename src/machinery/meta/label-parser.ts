import { formatFieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import {
  binaryOperatorList,
  type LabelOperator,
  type LabelRequirement,
  labelRequirement,
  Selector,
  SelectorError,
} from "./labels.ts";
import { isQualifiedName } from "./names.ts";

/**
 * Parses the text form of a label selector: `a=1,b in (x,y),!c`. Throws SelectorError with
 * upstream's message; the path names the field in it.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/labels/selector.go (Parse).
 */
export function parseSelector(text: string, path?: FieldPath): Selector {
  return new Selector(new Parser(tokenize(text), path).parse());
}

interface Token {
  /** "id", "end", or the symbol or keyword itself. */
  readonly kind: string;
  readonly text: string;
}

const end: Token = { kind: "end", text: "" };
const space = new Set([" ", "\t", "\r", "\n"]);
const symbols = new Set(["=", "!", "(", ")", ",", ">", "<"]);
const keywords = new Set(["in", "notin"]);
/** All characters but NUL, symbols and space. */
const word = /[^\0=!(),<> \t\r\n]*/y;

/**
 * As in upstream's scanner, NUL ends the text where a token could begin, and is a delimiter
 * elsewhere.
 */
function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (space.has(text.charAt(at))) at++;
    const first = text.charAt(at);
    if (first === "" || first === "\0") {
      tokens.push(end);
      return tokens;
    }
    if (symbols.has(first)) {
      const doubled = (first === "=" || first === "!") && text.charAt(at + 1) === "=";
      const symbol = doubled ? `${first}=` : first;
      tokens.push({ kind: symbol, text: symbol });
      at += symbol.length;
    } else {
      word.lastIndex = at;
      const [found = ""] = word.exec(text) ?? [];
      at += found.length;
      tokens.push({ kind: keywords.has(found) ? found : "id", text: found });
    }
    if (text.charAt(at) === "\0") at++;
  }
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

class Parser {
  readonly #tokens: readonly Token[];
  readonly #path: FieldPath | undefined;
  #position = 0;

  constructor(tokens: readonly Token[], path: FieldPath | undefined) {
    this.#tokens = tokens;
    this.#path = path;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === "end") return requirements;
      if (!startsRequirement(token)) {
        throw found(token, ", expected: !, identifier, or 'end of string'");
      }
      requirements.push(this.#requirement());
      const next = this.#next();
      if (next.kind === "end") return requirements;
      if (next.kind !== ",") throw found(next, ", expected: ',' or 'end of string'");
      if (!startsRequirement(this.#peek())) {
        throw found(this.#peek(), ", expected: identifier after ','");
      }
    }
  }

  #requirement(): LabelRequirement {
    try {
      const negated = this.#peek().kind === "!";
      if (negated) this.#next();
      const key = this.#key();
      if (negated) return labelRequirement(key, "!", [], this.#path);
      const next = this.#peek().kind;
      if (next === "end" || next === ",") return labelRequirement(key, "exists", [], this.#path);
      const operator = this.#operator();
      const values = keywords.has(operator) ? this.#values() : [this.#exactValue()];
      return labelRequirement(key, operator, values, this.#path);
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
    }
  }

  #key(): string {
    const token = this.#next();
    if (token.kind !== "id") throw found(token, ", expected: identifier");
    const problems = isQualifiedName(token.text);
    if (problems.length === 0) return token.text;
    throw new SelectorError(formatFieldError(invalid(this.#path, token.text, problems.join("; "))));
  }

  #operator(): LabelOperator {
    const token = this.#nextRaw();
    const operator = operators.get(token.kind);
    if (operator === undefined) throw found(token, `, expected: ${binaryOperatorList}`);
    return operator;
  }

  #exactValue(): string {
    const { kind } = this.#peek();
    if (kind === "end" || kind === ",") return "";
    const token = this.#next();
    if (token.kind !== "id") throw found(token, ", expected: identifier");
    return token.text;
  }

  /**
   * A list in parentheses: sorted, without duplicates; an empty place between commas is the empty
   * value.
   */
  #values(): string[] {
    const open = this.#next();
    if (open.kind !== "(") throw found(open, " expected: '('");
    const first = this.#peek();
    if (first.kind === ")") {
      this.#next();
      return [""];
    }
    if (first.kind !== "id" && first.kind !== ",") {
      throw found(first, ", expected: ',', ')' or identifier");
    }
    const values = this.#valueList();
    this.#next();
    return [...values].sort();
  }

  /** Reads up to the closing parenthesis, which is not consumed. */
  #valueList(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#next();
      const after = this.#peek();
      if (token.kind === "id") {
        values.add(token.text);
        if (after.kind === ")") return values;
        if (after.kind !== ",") throw found(after, ", expected: ',' or ')'");
      } else if (token.kind === ",") {
        if (values.size === 0 || after.kind === ")" || after.kind === ",") values.add("");
        if (after.kind === ")") return values;
      } else {
        throw found(token, ", expected: ',', or identifier");
      }
    }
  }

  /** The current token; keywords count as identifiers except where an operator is expected. */
  #peek(): Token {
    const token = this.#tokens[this.#position] ?? end;
    return keywords.has(token.kind) ? { kind: "id", text: token.text } : token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }

  #nextRaw(): Token {
    return this.#tokens[this.#position++] ?? end;
  }
}

const startsRequirement = ({ kind }: Token): boolean => kind === "id" || kind === "!";

function found(token: Token, rest: string): SelectorError {
  return new SelectorError(`found '${token.text}'${rest}`);
}
