import { formatShortest } from "#/std/go/float.ts";
import { compareYamlKeys } from "./compare-yaml-keys.ts";
import {
  escapeCharacter,
  isSimpleKey,
  needsEscape,
  type ScalarStyle,
  scalarStyle,
} from "./yaml-scalar.ts";

/** Width of a line (characters); longer lines are broken at the next space. */
const lineWidth = 80;

/**
 * Writes a JSON value as YAML the way sigs.k8s.io/yaml does: keys sorted, lists not indented, long
 * texts folded.
 *
 * Upstream: vendor/go.yaml.in/yaml/v2/emitterc.go.
 */
export function writeYaml(value: unknown): string {
  const writer = new YamlWriter();
  writer.root(value);
  return writer.finish();
}

class YamlWriter {
  readonly #parts: string[] = [];
  #column = 0;

  root(value: unknown): void {
    if (!isCollection(value)) this.#scalar(value, 2, false);
    else this.#collection(value, 0);
  }

  finish(): string {
    this.#startLine(0);
    return this.#parts.join("");
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#column += text.length;
  }

  #break(): void {
    this.#parts.push("\n");
    this.#column = 0;
  }

  /** Starts a line, a new one unless the current one is empty, and indents it. */
  #startLine(indent: number): void {
    if (this.#column > 0) this.#break();
    this.#pad(indent);
  }

  #pad(column: number): void {
    if (this.#column < column) this.#put(" ".repeat(column - this.#column));
  }

  /**
   * Writes a non-empty collection from the current column on, which is `indent` or the start of a
   * line.
   */
  #collection(value: object, indent: number): void {
    if (Array.isArray(value)) this.#sequence(value, indent);
    else this.#mapping(value as Record<string, unknown>, indent);
  }

  #sequence(items: readonly unknown[], indent: number): void {
    for (const [i, item] of items.entries()) {
      if (i > 0 || this.#column > indent) this.#startLine(indent);
      else this.#pad(indent);
      this.#put("-");
      this.#afterIndicator(item, indent);
    }
  }

  /**
   * Writes the value after a dash, or after the colon of a complex key: a collection starts on the
   * same line.
   */
  #afterIndicator(value: unknown, indent: number): void {
    if (!isCollection(value)) this.#separated(value, indent + 2);
    else {
      this.#pad(indent + 2);
      this.#collection(value, indent + 2);
    }
  }

  #mapping(mapping: Record<string, unknown>, indent: number): void {
    const keys = Object.keys(mapping).filter((key) => mapping[key] !== undefined);
    for (const [i, key] of keys.sort(compareYamlKeys).entries()) {
      if (i > 0 || this.#column > indent) this.#startLine(indent);
      else this.#pad(indent);
      if (isSimpleKey(key)) this.#simpleEntry(key, mapping[key], indent);
      else this.#complexEntry(key, mapping[key], indent);
    }
  }

  #simpleEntry(key: string, value: unknown, indent: number): void {
    this.#scalar(key, indent + 2, true);
    this.#put(":");
    if (isCollection(value)) {
      const inner = Array.isArray(value) ? indent : indent + 2;
      this.#startLine(inner);
      this.#collection(value, inner);
    } else this.#separated(value, indent + 2);
  }

  #complexEntry(key: string, value: unknown, indent: number): void {
    this.#put("?");
    this.#separated(key, indent + 2);
    this.#startLine(indent);
    this.#put(":");
    this.#afterIndicator(value, indent);
  }

  #separated(value: unknown, indent: number): void {
    this.#put(" ");
    this.#scalar(value, indent, false);
  }

  /** Writes a scalar or an empty collection; its further lines are indented. */
  #scalar(value: unknown, indent: number, isKey: boolean): void {
    if (typeof value !== "string") this.#put(plainText(value));
    else this.#text(value, scalarStyle(value, isKey), isKey ? undefined : indent);
  }

  /** `indent` is undefined where lines must not be broken. */
  #text(text: string, style: ScalarStyle, indent: number | undefined): void {
    if (style === "literal") this.#literal(text, indent ?? 0);
    else if (style === "double") this.#doubleQuoted(text, indent);
    else if (style === "plain") this.#folded(text, indent);
    else {
      this.#put("'");
      this.#folded(text.replaceAll("'", "''"), indent);
      this.#put("'");
    }
  }

  /** Breaks a text at single spaces beyond the width of a line. */
  #folded(text: string, indent: number | undefined): void {
    let start = 0;
    for (let i = 1; indent !== undefined && i < text.length - 1; i++) {
      const isTooLong = this.#column + i - start > lineWidth;
      if (!isTooLong || text[i] !== " " || text[i - 1] === " " || text[i + 1] === " ") continue;
      this.#put(text.slice(start, i));
      this.#break();
      this.#pad(indent);
      start = i + 1;
    }
    this.#put(text.slice(start));
  }

  #doubleQuoted(text: string, indent: number | undefined): void {
    // Like upstream (a bug there), a text that starts with a byte order mark is escaped completely.
    const escapesAll = text.startsWith("\ufeff");
    this.#put('"');
    let previous = "";
    const characters = [...text];
    for (const [i, character] of characters.entries()) {
      const breaks = character === " " && previous !== " " && this.#column > lineWidth;
      if (breaks && indent !== undefined && i > 0 && i < characters.length - 1) {
        this.#break();
        this.#pad(indent);
        if (characters[i + 1] === " ") this.#put("\\");
      } else {
        const isEscaped = escapesAll || needsEscape(character);
        this.#put(isEscaped ? escapeCharacter(character) : character);
      }
      previous = character;
    }
    this.#put('"');
  }

  /** Writes the lines unchanged, each of them indented unless it is empty. */
  #literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? "2" : "";
    const chomp = !text.endsWith("\n") ? "-" : /^\n$|\n\n$/.test(text) ? "+" : "";
    this.#put(`|${hint}${chomp}`);
    this.#break();
    const lines = text.split("\n");
    for (const [i, line] of lines.entries()) {
      if (line !== "") {
        this.#pad(indent);
        this.#put(line);
      }
      if (i < lines.length - 1) this.#break();
    }
  }
}

/** Whether a value is a non-empty list or mapping. */
function isCollection(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

function plainText(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) return "[]";
  return typeof value === "object" && value !== null ? "{}" : String(value);
}

/** Integers of up to 64 bits are written without an exponent. */
function numberText(value: number): string {
  const isInteger = Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64;
  return isInteger ? BigInt(value).toString() : formatShortest(value);
}
