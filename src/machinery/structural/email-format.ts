import { parseIp } from "#/std/net/ip.ts";

/**
 * Whether a text is a single mail address, with or without a display name.
 *
 * Upstream: Go's net/mail.ParseAddress, behind the format "email".
 */
export function isEmail(text: string): boolean {
  const scanner = new AddressScanner(text);
  return scanner.addresses(true) === 1 && scanner.skipComments() && scanner.atEnd;
}

/** Scans an address from left to right; methods return whether they found their token. */
class AddressScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** The number of addresses: one, or those of a group; undefined on a syntax error. */
  addresses(allowGroup: boolean): number | undefined {
    this.#skipSpace();
    if (this.#addressSpec()) {
      this.#skipSpace();
      return this.#peek() !== "(" || this.#comment() ? 1 : undefined;
    }
    if (this.#peek() !== "<" && !this.#phrase()) return undefined;
    this.#skipSpace();
    if (allowGroup && this.#take(":")) return this.#group();
    return this.#take("<") && this.#addressSpec() && this.#take(">") ? 1 : undefined;
  }

  /** Skips space and comments; false if a comment does not end. */
  skipComments(): boolean {
    this.#skipSpace();
    while (this.#peek() === "(") {
      if (!this.#comment()) return false;
      this.#skipSpace();
    }
    return true;
  }

  #group(): number | undefined {
    this.#skipSpace();
    if (this.#take(";")) return this.skipComments() ? 0 : undefined;
    let count = 0;
    for (;;) {
      const found = this.addresses(false);
      if (found === undefined || !this.skipComments()) return undefined;
      count += found;
      if (this.#take(";")) return this.skipComments() ? count : undefined;
      if (!this.#take(",")) return undefined;
    }
  }

  #addressSpec(): boolean {
    const start = this.#at;
    this.#skipSpace();
    const local = this.#peek() === '"' ? this.#quoted() > 0 : this.#dottedAtom();
    if (local && this.#take("@") && this.#domain()) return true;
    this.#at = start;
    return false;
  }

  #domain(): boolean {
    this.#skipSpace();
    const literal = this.#match(/\[([^[\]\\\p{Cc} ]*)\]/uy);
    if (literal !== undefined) return parseIp(literal.slice(1, -1)) !== undefined;
    return this.#peek() !== "[" && this.#dottedAtom();
  }

  /** The words before an angle bracket. */
  #phrase(): boolean {
    let words = 0;
    for (;;) {
      if (words > 0 && !this.skipComments()) return false;
      this.#skipSpace();
      const found = this.#peek() === '"' ? this.#quoted() >= 0 : this.#atom() !== undefined;
      if (!found) return words > 0;
      words++;
    }
  }

  /** The length of a quoted string; -1 if there is none. */
  #quoted(): number {
    const found = this.#match(/"(?:[\t !#-[\]-~\u0080-\u{10ffff}]|\\[\t -~\u0080-\u{10ffff}])*"/uy);
    return found === undefined ? -1 : found.length - 2;
  }

  #dottedAtom(): boolean {
    const atom = this.#atom();
    return atom?.split(".").every((part) => part !== "") ?? false;
  }

  #atom(): string | undefined {
    return this.#match(/[!#-'*-+\--9=?A-Z^-~\u0080-\u{10ffff}]+/uy);
  }

  /** A comment in parentheses, which may be nested. */
  #comment(): boolean {
    let depth = 0;
    while (!this.atEnd) {
      const char = this.#peek();
      if (char === "\\" && this.#at < this.#text.length - 1) this.#at++;
      else if (char === "(") depth++;
      else if (char === ")") depth--;
      this.#at++;
      if (depth === 0) return true;
    }
    return false;
  }

  #skipSpace(): void {
    while (this.#peek() === " " || this.#peek() === "\t") this.#at++;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
