/** Upstream: gopkg.in/gcfg.v1, the format of cloud-config files. */

export type GcfgToken =
  | { readonly kind: "end" | "line" | "[" | "]" | "=" | "illegal"; readonly offset: number }
  | { readonly kind: "name" | "string"; readonly text: string; readonly offset: number };

/** A problem at a place of the file: "3:7: expected '='". */
export class GcfgError extends Error {
  override readonly name = "GcfgError";
}

const space = /[ \t\r]/;
const namePattern = /[\p{L}][\p{L}\p{Nd}-]*/uy;

export class GcfgScanner {
  readonly #source: string;
  #offset = 0;
  /** After "=": a value is next. */
  #isValueNext = false;
  /** Problems of the last token. */
  #problems: string[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  /** The next token. Its problems are reported by check(). */
  scan(): GcfgToken {
    this.#problems = [];
    for (;;) {
      while (space.test(this.#peek())) this.#offset++;
      const offset = this.#offset;
      if (this.#isValueNext) {
        this.#isValueNext = false;
        return { kind: "string", text: this.#scanValue(), offset };
      }
      namePattern.lastIndex = offset;
      const name = namePattern.exec(this.#source)?.[0];
      if (name) {
        this.#offset += name.length;
        return { kind: "name", text: name, offset };
      }
      const character = this.#take();
      if (character === ";" || character === "#") this.#skipLine();
      else return this.#symbol(character, offset);
    }
  }

  #symbol(character: string, offset: number): GcfgToken {
    switch (character) {
      case "":
        return { kind: "end", offset };
      case "\n":
        return { kind: "line", offset };
      case "[":
      case "]":
        return { kind: character, offset };
      case "=":
        this.#isValueNext = true;
        return { kind: "=", offset };
      case '"':
        return { kind: "string", text: this.#scanQuoted(offset), offset };
      default:
        this.#report(offset, `illegal character ${describeCharacter(character)}`);
        return { kind: "illegal", offset };
    }
  }

  /** Throws what was wrong with the last token. */
  check(): void {
    const [first, ...more] = this.#problems;
    if (first === undefined) return;
    throw new GcfgError(more.length === 0 ? first : `${first} (and ${more.length} more errors)`);
  }

  /** An error at a token. */
  errorAt(offset: number, problem: string): GcfgError {
    return new GcfgError(`${this.#position(offset)}: ${problem}`);
  }

  #report(offset: number, problem: string): void {
    this.#problems.push(`${this.#position(offset)}: ${problem}`);
  }

  /** The name of a subsection; the opening quote is consumed. */
  #scanQuoted(start: number): string {
    while (this.#peek() !== '"') {
      const character = this.#take();
      if (character === "\n" || character === "") {
        this.#report(start, "string not terminated");
        break;
      }
      if (character === "\\") this.#scanEscape('\\"');
    }
    this.#take();
    return this.#source.slice(start, this.#offset);
  }

  /** A value up to the end of the line or a comment, as it is written, without space at its end. */
  #scanValue(): string {
    const start = this.#offset;
    let end = start;
    let inQuotes = false;
    while (inQuotes || !["", "\n", ";", "#"].includes(this.#peek())) {
      const character = this.#take();
      if (inQuotes && character === "\\") this.#scanEscape('\\"nt');
      else if (character === "\\") {
        if (this.#peek() === "\r") this.#offset++;
        if (!["\n", '"'].includes(this.#peek())) {
          this.#report(start, "unquoted '\\' must be followed by new line or double quote");
          break;
        }
        this.#offset++;
      } else if (character === '"') inQuotes = !inQuotes;
      else if (character === "" || (inQuotes && character === "\n")) {
        this.#report(start, "string not terminated");
        break;
      }
      if (inQuotes || !space.test(character)) end = this.#offset;
    }
    return this.#source.slice(start, end).replaceAll("\r", "");
  }

  #scanEscape(known: string): void {
    const offset = this.#offset;
    const character = this.#take();
    if (character === "" || !known.includes(character)) {
      this.#report(offset, "unknown escape sequence");
    }
  }

  #skipLine(): void {
    const end = this.#source.indexOf("\n", this.#offset);
    this.#offset = end < 0 ? this.#source.length : end;
  }

  #peek(): string {
    const code = this.#source.codePointAt(this.#offset);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #take(): string {
    const character = this.#peek();
    this.#offset += character.length;
    return character;
  }

  /** "line:column", both from 1; columns count bytes. */
  #position(offset: number): string {
    const before = this.#source.slice(0, offset);
    const line = before.split("\n");
    return `${line.length}:${Buffer.byteLength(line.at(-1) ?? "") + 1}`;
  }
}

/** U+0040 '@'. */
function describeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /\p{C}/u.test(character) ? `U+${code}` : `U+${code} '${character}'`;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\n": "" };

/** The value of a scanned string: without quotes, with escapes replaced. */
export function unquote(text: string): string {
  return text.replace(/\\([\s\S])|"/g, (_, escaped?: string) =>
    escaped === undefined ? "" : (escapes[escaped] ?? escaped),
  );
}
