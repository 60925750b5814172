/** A line of block YAML: its depth, and its text without the dashes before it. */
interface Line {
  readonly depth: number;
  readonly text: string;
}

const keyAndValue = /^([A-Za-z][\w./-]*):(?: +(.*))?$/;
const quoted = /^(?:"([^"\\]*)"|'([^']*)')$/;
/** Texts that are plain strings by all rules of YAML. */
const plainText = /^(?:--)?[A-Za-z/](?:[\w/.@%+=~-]|:(?=[\w/]))*$/;
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["null", null],
  ["true", true],
  ["false", false],
  ["{}", {}],
  ["[]", []],
]);
/** Texts that YAML 1.1 and 1.2 read differently, in any letter case. */
const ambiguous = /^(?:y|n|yes|no|on|off|null|true|false)$/i;

/**
 * Reads the YAML that programs write: block mappings and lists, values on one line. Undefined for
 * any other YAML, which needs a full parser: loading that takes ten times as long as the rest of a
 * short command.
 */
export function readPlainYaml(text: string): unknown {
  const lines = splitLines(text);
  if (lines === undefined || lines.length === 0) return undefined;
  const reader = new PlainReader(lines);
  try {
    const value = reader.block(0);
    return reader.isDone ? value : undefined;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class NotPlain extends Error {
  override readonly name = "NotPlain";
}

/** A line with a dash becomes two: an empty one for the item, and a deeper one for its content. */
function splitLines(text: string): Line[] | undefined {
  const lines: Line[] = [];
  for (const line of text.split("\n")) {
    if (/^ *(?:#.*)?$/.test(line)) continue;
    let depth = line.search(/[^ ]/);
    let rest = line.slice(depth).trimEnd();
    if (/[\t\r]/.test(line) || rest.startsWith("---")) return undefined;
    for (let dash = /^- +/.exec(rest); dash; dash = /^- +/.exec(rest)) {
      lines.push({ depth, text: "-" });
      depth += dash[0].length;
      rest = rest.slice(dash[0].length);
    }
    lines.push({ depth, text: rest });
  }
  return lines;
}

class PlainReader {
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  get isDone(): boolean {
    return this.#at === this.#lines.length;
  }

  /** Reads the block at a depth. */
  block(depth: number): unknown {
    return this.#lines[this.#at]?.text === "-" ? this.#list(depth) : this.#mapping(depth);
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#next(depth); line?.text === "-"; line = this.#next(depth)) {
      this.#at++;
      const inside = this.#lines[this.#at];
      if (inside === undefined || inside.depth <= depth) throw new NotPlain();
      const isBlock = inside.text === "-" || keyAndValue.test(inside.text);
      items.push(isBlock ? this.block(inside.depth) : scalar(this.#take(inside)));
    }
    return items;
  }

  #mapping(depth: number): Record<string, unknown> {
    const mapping: Record<string, unknown> = {};
    for (let line = this.#next(depth); line && line.text !== "-"; line = this.#next(depth)) {
      const [, key = "", value = ""] = keyAndValue.exec(this.#take(line)) ?? [];
      if (key === "" || Object.hasOwn(mapping, key) || key === "__proto__") throw new NotPlain();
      mapping[key] = value === "" ? this.#inner(depth) : scalar(value);
    }
    return mapping;
  }

  /** The value of a key: a deeper block, or a list at the same depth. */
  #inner(depth: number): unknown {
    const line = this.#lines[this.#at];
    if (line === undefined || line.depth < depth) return null;
    if (line.depth === depth) return line.text === "-" ? this.#list(depth) : null;
    return this.block(line.depth);
  }

  /** The next line if it belongs to a block of this depth. */
  #next(depth: number): Line | undefined {
    const line = this.#lines[this.#at];
    if (line !== undefined && line.depth > depth) throw new NotPlain();
    return line?.depth === depth ? line : undefined;
  }

  #take({ text }: Line): string {
    this.#at++;
    return text;
  }
}

function scalar(text: string): unknown {
  const known = words.get(text);
  if (known !== undefined) return typeof known === "object" ? structuredClone(known) : known;
  const inQuotes = quoted.exec(text);
  if (inQuotes) return inQuotes[1] ?? inQuotes[2];
  if (plainText.test(text) && !ambiguous.test(text)) return text;
  throw new NotPlain();
}
