/** What a Go expression in generated code amounts to. */
export type GoValue =
  | string
  | number
  | boolean
  | GoCall
  | GoName
  | readonly GoValue[]
  | GoComposite;

/** A function or method call; the callee as written. */
export interface GoCall {
  readonly call: string;
  readonly arguments: readonly GoValue[];
}

/** A name that is not called: a constant of some package. */
export interface GoName {
  readonly constant: string;
}

/** A struct or map literal. */
export interface GoComposite {
  readonly entries: ReadonlyMap<string, GoValue>;
}

/** Reads a Go expression made of literals, names and calls, which begins at `offset`. */
export function parseGoLiteral(source: string, offset: number): GoValue {
  return parseValue(new Tokens(source, offset));
}

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)|(\[\](?:string|interface\{\})|map\[string\](?:interface\{\}|[\w.]+)|[\w.]+)|(.))/sy;

/** A cursor over the source; `kind` and `text` are those of the token under it. */
class Tokens {
  kind: "string" | "number" | "word" | "mark" = "mark";
  text = "";
  readonly #source: string;
  #at: number;

  constructor(source: string, offset: number) {
    this.#source = source;
    this.#at = offset;
    this.next();
  }

  next(): void {
    TOKEN.lastIndex = this.#at;
    const [, string, number, word, mark] = TOKEN.exec(this.#source) ?? [];
    this.#at = TOKEN.lastIndex;
    this.text = string ?? number ?? word ?? mark ?? "";
    this.kind =
      string !== undefined ? "string" : number !== undefined ? "number" : word ? "word" : "mark";
  }

  /** Steps over a mark if it is the next token. */
  skip(mark: string): boolean {
    const found = this.kind === "mark" && this.text === mark;
    if (found) this.next();
    return found;
  }

  expect(mark: string): void {
    if (!this.skip(mark)) throw new Error(`expected "${mark}" in Go source, found "${this.text}"`);
  }
}

function parseValue(tokens: Tokens): GoValue {
  const { kind, text } = tokens;
  if (kind === "string" || kind === "number") {
    tokens.next();
    return JSON.parse(text.replaceAll("\\'", "'")) as string | number;
  }
  if (kind === "mark") {
    tokens.skip("&");
    if (tokens.kind === "mark") return parseEntries(tokens);
    return parseValue(tokens);
  }
  tokens.next();
  if (text === "true" || text === "false") return text === "true";
  if (text.startsWith("[]")) return parseList(tokens, "{", "}");
  return parseSuffix(tokens, text);
}

/** A name is followed by a literal, by a call, by a method call on an empty literal, or by nothing. */
function parseSuffix(tokens: Tokens, name: string): GoValue {
  if (tokens.kind === "mark" && tokens.text === "{") {
    const literal = parseEntries(tokens);
    // Reading on has changed what kind of token is next.
    const kind: string = tokens.kind;
    if (!(kind === "word" && tokens.text.startsWith("."))) return literal;
    const method = tokens.text;
    tokens.next();
    return { call: `${name}{}${method}`, arguments: parseList(tokens, "(", ")") };
  }
  if (tokens.kind === "mark" && tokens.text === "(")
    return { call: name, arguments: parseList(tokens, "(", ")") };
  return { constant: name };
}

function parseList(tokens: Tokens, open: string, close: string): GoValue[] {
  tokens.expect(open);
  const items: GoValue[] = [];
  while (!tokens.skip(close)) {
    items.push(parseValue(tokens));
    tokens.skip(",");
  }
  return items;
}

function parseEntries(tokens: Tokens): GoComposite {
  tokens.expect("{");
  const entries = new Map<string, GoValue>();
  while (!tokens.skip("}")) {
    const key = tokens.kind === "string" ? (JSON.parse(tokens.text) as string) : tokens.text;
    tokens.next();
    tokens.expect(":");
    entries.set(key, parseValue(tokens));
    tokens.skip(",");
  }
  return { entries };
}
