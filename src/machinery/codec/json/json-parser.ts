import { goQuote } from "#/std/go/go-quote.ts";
import { DecodeError } from "../shape/decode-error.ts";
import { goUtf8 } from "../shape/go-utf8.ts";
import { setOwn } from "../shape/own-property.ts";

/**
 * A number in its original text, where a double would lose information that Go keeps: fractions,
 * exponents, and 64-bit integers.
 */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Written as it was read. */
  toJSON(): unknown {
    return (JSON as JSON & { rawJSON(text: string): unknown }).rawJSON(this.text);
  }
}

/** For each object with a repeated key, all its entries in the order of the text. */
export type Duplicates = ReadonlyMap<object, readonly (readonly [key: string, value: unknown])[]>;

interface Parsed {
  readonly value: unknown;
  readonly keys: number;
  readonly duplicates: Duplicates;
}

/**
 * Parses JSON as Go does, slowly: duplicate keys are listed, numbers keep their text where needed,
 * each byte that is not UTF-8 becomes U+FFFD, and errors have Go's messages.
 *
 * Upstream: Go's encoding/json/scanner.go.
 */
export function parseJsonExactly(bytes: Uint8Array, maxDepth: number): Parsed {
  const parser = new JsonParser(bytes, maxDepth);
  const value = parser.document();
  return { value, keys: parser.keys, duplicates: parser.duplicates };
}

const escapes = new Map(
  Object.entries({
    '"': '"',
    "\\": "\\",
    "/": "/",
    b: "\b",
    f: "\f",
    n: "\n",
    r: "\r",
    t: "\t",
  }).map(([letter, meaning]) => [letter.charCodeAt(0), meaning]),
);

class JsonParser {
  readonly duplicates = new Map<object, [string, unknown][]>();
  keys = 0;
  readonly #bytes: Buffer;
  readonly #maxDepth: number;
  #pos = 0;
  #depth = 0;

  constructor(bytes: Uint8Array, maxDepth: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxDepth = maxDepth;
  }

  document(): unknown {
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#pos < this.#bytes.length) throw this.#unexpected("after top-level value");
    return value;
  }

  #value(): unknown {
    const byte = this.#bytes[this.#pos];
    switch (byte) {
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case 0x22:
        return this.#string();
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      default:
        if (byte === 0x2d || isDigit(byte)) return this.#number();
        throw this.#unexpected("looking for beginning of value");
    }
  }

  #open(): void {
    if (++this.#depth > this.#maxDepth) throw this.#unexpected("exceeded max depth");
    this.#pos++;
    this.#skipSpace();
  }

  #close(): void {
    this.#pos++;
    this.#depth--;
  }

  #object(): object {
    const object: Record<string, unknown> = {};
    const entries: [string, unknown][] = [];
    let repeated = false;
    this.#open();
    while (this.#bytes[this.#pos] !== 0x7d || entries.length > 0) {
      if (this.#bytes[this.#pos] !== 0x22) {
        throw this.#unexpected("looking for beginning of object key string");
      }
      const key = this.#string();
      this.#skipSpace();
      this.#expect(0x3a, "after object key");
      this.#skipSpace();
      const value = this.#value();
      this.keys++;
      if (Object.hasOwn(object, key)) repeated = true;
      setOwn(object, key, value);
      entries.push([key, value]);
      this.#skipSpace();
      if (this.#bytes[this.#pos] === 0x7d) break;
      this.#expect(0x2c, "after object key:value pair");
      this.#skipSpace();
    }
    this.#close();
    if (repeated) this.duplicates.set(object, entries);
    return object;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#open();
    while (this.#bytes[this.#pos] !== 0x5d || items.length > 0) {
      items.push(this.#value());
      this.#skipSpace();
      if (this.#bytes[this.#pos] === 0x5d) break;
      this.#expect(0x2c, "after array element");
      this.#skipSpace();
    }
    this.#close();
    return items;
  }

  #string(): string {
    let text = "";
    let start = ++this.#pos;
    for (;;) {
      const byte = this.#bytes[this.#pos];
      if (byte === undefined || byte < 0x20) throw this.#unexpected("in string literal");
      if (byte === 0x22 || byte === 0x5c) {
        text += goUtf8(this.#bytes.subarray(start, this.#pos++));
        if (byte === 0x22) return text.toWellFormed();
        text += this.#escape();
        start = this.#pos;
      } else this.#pos++;
    }
  }

  /**
   * One UTF-16 unit; surrogates are read one by one, and joined or replaced at the end of the
   * string.
   */
  #escape(): string {
    const byte = this.#bytes[this.#pos];
    const simple = byte === undefined ? undefined : escapes.get(byte);
    if (simple !== undefined) {
      this.#pos++;
      return simple;
    }
    if (byte !== 0x75) throw this.#unexpected("in string escape code");
    let code = 0;
    for (let i = 0; i < 4; i++) {
      this.#pos++;
      const digit = Number.parseInt(String.fromCharCode(this.#bytes[this.#pos] ?? 0), 16);
      if (Number.isNaN(digit)) throw this.#unexpected("in \\u hexadecimal character escape");
      code = code * 16 + digit;
    }
    this.#pos++;
    return String.fromCharCode(code);
  }

  #number(): number | NumberLiteral {
    const start = this.#pos;
    if (this.#bytes[this.#pos] === 0x2d) this.#pos++;
    if (this.#bytes[this.#pos] === 0x30) this.#pos++;
    else this.#digits("in numeric literal");
    let plain = true;
    if (this.#bytes[this.#pos] === 0x2e) {
      plain = false;
      this.#pos++;
      this.#digits("after decimal point in numeric literal");
    }
    const exponent = this.#bytes[this.#pos];
    if (exponent === 0x65 || exponent === 0x45) {
      plain = false;
      const sign = this.#bytes[++this.#pos];
      if (sign === 0x2b || sign === 0x2d) this.#pos++;
      this.#digits("in exponent of numeric literal");
    }
    const text = this.#bytes.toString("latin1", start, this.#pos);
    const value = Number(text);
    return plain && Number.isSafeInteger(value) ? value : new NumberLiteral(text);
  }

  #digits(context: string): void {
    if (!isDigit(this.#bytes[this.#pos])) throw this.#unexpected(context);
    while (isDigit(this.#bytes[this.#pos])) this.#pos++;
  }

  #word<T>(word: string, value: T): T {
    for (const letter of word) {
      if (this.#bytes[this.#pos] !== letter.charCodeAt(0)) {
        throw this.#unexpected(`in literal ${word} (expecting '${letter}')`);
      }
      this.#pos++;
    }
    return value;
  }

  #expect(byte: number, context: string): void {
    if (this.#bytes[this.#pos] !== byte) throw this.#unexpected(context);
    this.#pos++;
  }

  #skipSpace(): void {
    for (;;) {
      const byte = this.#bytes[this.#pos];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#pos++;
    }
  }

  #unexpected(context: string): DecodeError {
    const byte = this.#bytes[this.#pos] ?? (withinToken.test(context) ? 0x20 : undefined);
    if (byte === undefined) return new DecodeError("unexpected end of JSON input", "syntax");
    const quoted = byte === 0x22 ? '"' : goQuote(String.fromCharCode(byte)).slice(1, -1);
    return new DecodeError(
      `invalid character '${quoted === "'" ? "\\'" : quoted}' ${context}`,
      "syntax",
    );
  }
}

/**
 * Errors where the end of the text counts as an unexpected space, because Go's scanner ends with
 * one.
 */
const withinToken = /^in (?!string literal)|^after decimal/;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
