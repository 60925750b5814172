import type { Issues } from "./issues.ts";
import { noOffset } from "./source.ts";
import type { Token, TokenKind } from "./token.ts";

/** Tokens that may be next; "end": the rule may end here. */
export type Expected = ReadonlySet<TokenKind | "end">;

/** Limit of recoveries, and of tokens skipped by one recovery (count). */
const maxRecoveries = 30;
const maxSkipped = 256;
/** Limit of nested expressions, as in the parser (levels), and of the grammar rules for them. */
const maxDepth = 250;
const maxRules = 8 * maxDepth;

/** In the order of the grammar, which is the order in messages. */
const tokenOrder: readonly TokenKind[] = [
  ...(["<EOF>", "==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}"] as const),
  ...([
    "(",
    ")",
    ".",
    ",",
    "-",
    "!",
    "?",
    ":",
    "+",
    "*",
    "/",
    "%",
    "true",
    "false",
    "null",
  ] as const),
  ...([
    "NUM_FLOAT",
    "NUM_INT",
    "NUM_UINT",
    "STRING",
    "BYTES",
    "IDENTIFIER",
    "ESC_IDENTIFIER",
  ] as const),
];

/** A rule cannot continue; its error is already determined. */
class RuleError extends Error {
  readonly place: string;
  readonly report: () => void;

  constructor(place: string, report: () => void) {
    super(place);
    this.place = place;
    this.report = report;
  }
}

/** Recovery is abandoned. */
export class RecoveryAbandoned extends Error {}

/**
 * Reads tokens by rules, and recovers after an error as ANTLR's parsers do. Its messages are those
 * that authors of expressions know from upstream.
 *
 * Upstream: antlr's DefaultErrorStrategy, vendor/github.com/google/cel-go/parser/parser.go.
 */
export class ErrorStrategy {
  readonly #tokens: readonly Token[];
  readonly #issues: Issues;
  /** The tokens that may follow each open rule. */
  readonly #follows: Expected[] = [];
  #position = 0;
  #recovering = false;
  #recoveries = 0;
  #lastErrorPosition = -1;
  #lastErrorPlaces = new Set<string>();

  constructor(tokens: readonly Token[], issues: Issues) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  /** The kind of a token ahead, counted from 1. */
  ahead(distance: number): TokenKind {
    return this.#token(distance).kind;
  }

  #token(distance: number): Token {
    const token = this.#tokens[this.#position + distance - 1] ?? this.#tokens.at(-1);
    if (token === undefined) throw new RecoveryAbandoned();
    return token;
  }

  /** Runs a rule that is followed by `follow`. An error ends it and is reported. */
  rule(follow: Expected, body: () => void): void {
    if (this.#follows.length > maxRules) {
      this.#issues.report(noOffset, `expression recursion limit exceeded: ${maxDepth}`);
      throw new RecoveryAbandoned();
    }
    this.#follows.push(follow);
    try {
      body();
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      if (!this.#recovering) {
        this.#recovering = true;
        error.report();
      }
      this.#recover(error.place);
    } finally {
      this.#follows.pop();
    }
  }

  /**
   * Reads a token. `place` names the position in the grammar; `after` is what may follow in the
   * rule.
   */
  match(kind: TokenKind, place: string, after: Expected): void {
    if (this.ahead(1) === kind) {
      this.#endRecovery();
      this.#consume();
      return;
    }
    this.#countRecovery();
    const expected = this.#expected(new Set([kind]));
    if (this.#deleteToken(expected)) {
      this.#consume();
      return;
    }
    if (!this.#expected(after).has(this.ahead(1))) throw this.mismatch(place, new Set([kind]));
    if (this.#recovering) return;
    this.#recovering = true;
    this.#syntaxError(`missing ${display(expected)} at ${quoted(this.#token(1))}`);
  }

  /** Checks that an expected token is next, before the rule selects an alternative by it. */
  sync(place: string, local: Expected): void {
    if (this.#recovering || local.has("end") || local.has(this.ahead(1))) return;
    if (!this.#deleteToken(this.#expected(local))) throw this.mismatch(place, local);
  }

  /** The same in a loop, where unexpected tokens are skipped. */
  syncLoop(local: Expected): void {
    if (this.#recovering || local.has(this.ahead(1))) return;
    const expected = this.#expected(local);
    this.#syntaxError(`extraneous input ${quoted(this.#token(1))} expecting ${display(expected)}`);
    this.#recovering = true;
    this.#skipUntil(expected.union(this.#recoverySet()));
  }

  mismatch(place: string, local: Expected): RuleError {
    const token = this.#token(1);
    const expected = display(this.#expected(local));
    return new RuleError(place, () => {
      this.#syntaxError(`mismatched input ${quoted(token)} expecting ${expected}`, token);
    });
  }

  /** The next tokens match no alternative; the last inspected one is at `distance`. */
  noViableAlternative(place: string, distance: number): RuleError {
    const token = this.#token(distance);
    const tokens = Array.from({ length: distance }, (_, i) => this.#token(i + 1));
    const input = tokens.map(inputText).join("").slice(this.#token(1).blank.length);
    const reserved = /^.((?:true|false|null))$/s.exec(input)?.[1];
    const message =
      reserved === undefined
        ? `no viable alternative at input '${escapeBlank(input)}'`
        : `mismatched input '${reserved}' expecting IDENTIFIER`;
    return new RuleError(place, () => this.#syntaxError(message, token));
  }

  #deleteToken(expected: ReadonlySet<TokenKind>): boolean {
    if (!expected.has(this.ahead(2)) || this.ahead(1) === "<EOF>") return false;
    if (!this.#recovering) {
      this.#syntaxError(
        `extraneous input ${quoted(this.#token(1))} expecting ${display(expected)}`,
      );
    }
    this.#consume();
    this.#endRecovery();
    return true;
  }

  #recover(place: string): void {
    this.#countRecovery();
    if (this.#lastErrorPosition === this.#position && this.#lastErrorPlaces.has(place))
      this.#consume();
    this.#lastErrorPosition = this.#position;
    this.#lastErrorPlaces.add(place);
    this.#skipUntil(this.#recoverySet());
  }

  #skipUntil(stop: ReadonlySet<TokenKind>): void {
    for (let skipped = 0; this.ahead(1) !== "<EOF>" && !stop.has(this.ahead(1)); skipped++) {
      if (skipped >= maxSkipped) {
        this.#issues.report(
          noOffset,
          `error recovery token lookahead limit exceeded: ${maxSkipped}`,
        );
        throw new RecoveryAbandoned();
      }
      this.#consume();
    }
  }

  #countRecovery(): void {
    if (this.#recoveries++ < maxRecoveries) return;
    this.#syntaxError(`error recovery attempt limit exceeded: ${maxRecoveries}`);
    throw new RecoveryAbandoned();
  }

  /** The tokens that may be next, here or, if the rule may end here, after it. */
  #expected(local: Expected): ReadonlySet<TokenKind> {
    const expected = new Set<TokenKind>();
    let mayEnd = addTokens(expected, local);
    for (let i = this.#follows.length - 1; mayEnd && i >= 0; i--) {
      mayEnd = addTokens(expected, this.#follows[i] ?? new Set());
    }
    return expected;
  }

  /** The tokens that may follow any of the open rules. */
  #recoverySet(): ReadonlySet<TokenKind> {
    const tokens = new Set<TokenKind>();
    for (const follow of this.#follows) addTokens(tokens, follow);
    return tokens;
  }

  #endRecovery(): void {
    this.#recovering = false;
    this.#lastErrorPosition = -1;
    this.#lastErrorPlaces = new Set();
  }

  #consume(): void {
    if (this.#position < this.#tokens.length - 1) this.#position++;
  }

  #syntaxError(message: string, { offset }: Token = this.#token(1)): void {
    this.#issues.report(offset, `Syntax error: ${message}`);
  }
}

/** Adds the tokens of a set; true if the rule may end. */
function addTokens(tokens: Set<TokenKind>, expected: Expected): boolean {
  for (const kind of expected) if (kind !== "end") tokens.add(kind);
  return expected.has("end");
}

function display(expected: ReadonlySet<TokenKind>): string {
  const names = tokenOrder
    .filter((kind) => expected.has(kind))
    .map((kind) => {
      return /^[A-Z_]+$/.test(kind) || kind === "<EOF>" ? kind : `'${kind}'`;
    });
  return names.length === 1 ? (names[0] ?? "") : `{${names.join(", ")}}`;
}

/** A token with the white space before it; the end has no text. */
function inputText({ kind, text, blank }: Token): string {
  return kind === "<EOF>" ? blank : blank + text;
}

const quoted = ({ text }: Token): string => `'${escapeBlank(text)}'`;

function escapeBlank(text: string): string {
  return text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}
