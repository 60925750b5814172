import { stripTypeScriptTypes } from "node:module";

// As in node-fs.ts, whose import would be one more file to find before the pack is open.
const {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} = process.getBuiltinModule("node:fs");

/** The position of a source in the pack, and the state of its file. */
interface Entry {
  readonly state: string;
  readonly start: number;
  readonly end: number;
}

/** Read size (bytes): sources are in the order of their first use, which mostly repeats. */
const windowBytes = 32 * 1024;

/**
 * Sources without types, all in one file: a few reads instead of thousands, and nothing to strip. A
 * source is valid as long as its file has the same size and times.
 */
export class SourcePack {
  readonly #file: string;
  /** The file as it was when opened, even if it is replaced. */
  #descriptor = -1;
  #isOpen = false;
  #bodyStart = 0;
  #buffer: Buffer = Buffer.allocUnsafeSlow(windowBytes);
  /** The buffered part of the body, and its offset. */
  #window: Buffer = this.#buffer.subarray(0, 0);
  #windowStart = 0;
  #entries = new Map<string, Entry>();
  readonly #added = new Map<string, { readonly state: string; readonly source: string }>();
  /** Number of those that have been saved. */
  #saved = 0;

  /** Opens a pack; a missing or invalid one is empty. */
  constructor(file: string) {
    this.#file = file;
    this.#open();
  }

  #open(): void {
    const file = this.#file;
    this.#isOpen = true;
    try {
      this.#descriptor = openSync(file, "r");
      const first = this.#read(0, windowBytes);
      // The length of the table of contents, the table, the sources.
      const tableStart = first.indexOf("\n") + 1;
      this.#bodyStart = tableStart + Number(first.toString("latin1", 0, tableStart));
      const isWhole = this.#bodyStart <= first.length;
      const head = isWhole ? first : this.#read(0, this.#bodyStart);
      const table = head.toString("utf8", tableStart, this.#bodyStart);
      const entries = JSON.parse(table) as [string, Entry][];
      const size = this.#bodyStart + (entries.at(-1)?.[1].end ?? 0);
      if (fstatSync(this.#descriptor).size !== size) throw new Error(`${file} was cut off`);
      this.#entries = new Map(entries);
      if (isWhole) this.#window = first.subarray(this.#bodyStart);
    } catch {
      // All sources will be rebuilt.
    }
  }

  /** The executable source of a file. */
  source(path: string): string {
    if (!this.#isOpen) this.#open();
    const { size, mtimeMs, ctimeMs } = statSync(path);
    const state = `${size} ${mtimeMs} ${ctimeMs}`;
    const found = this.#entries.get(path);
    if (found?.state === state) return this.#text(found);
    const source = stripTypes(readFileSync(path, "utf8"));
    this.#added.set(path, { state, source });
    return source;
  }

  /** Writes added sources, if there are any and the file is writable; deleted files are dropped. */
  save(): void {
    if (this.#added.size === this.#saved) return;
    this.#saved = this.#added.size;
    if (!this.#isOpen) this.#open();
    const kept = [...this.#entries].filter(([path]) => !this.#added.has(path) && existsSync(path));
    const all = [
      ...kept.map(([path, entry]) => ({ path, state: entry.state, source: this.#text(entry) })),
      ...[...this.#added].map(([path, { state, source }]) => ({ path, state, source })),
    ].map(({ path, state, source }) => ({ path, state, bytes: Buffer.from(source) }));
    let end = 0;
    const entries = all.map(({ path, state, bytes }) => {
      const start = end;
      end += bytes.length;
      return [path, { state, start, end }];
    });
    const table = Buffer.from(JSON.stringify(entries));
    const length = Buffer.from(`${table.length}\n`);
    this.#write(Buffer.concat([length, table, ...all.map(({ bytes }) => bytes)]));
  }

  /** Gives back the memory of what was read, until the next source is asked for. */
  release(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
    this.#isOpen = false;
    this.#entries = new Map();
    this.#buffer = Buffer.allocUnsafeSlow(0);
    this.#window = this.#buffer;
    this.#windowStart = 0;
  }

  #text({ start, end }: Entry): string {
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) {
      this.#window = this.#read(this.#bodyStart + start, Math.max(end - start, windowBytes));
      this.#windowStart = start;
    }
    return this.#window.toString("utf8", start - this.#windowStart, end - this.#windowStart);
  }

  /** Up to this number of bytes; valid until the next call. */
  #read(position: number, size: number): Buffer {
    if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafeSlow(size);
    const read = readSync(this.#descriptor, this.#buffer, 0, size, position);
    return this.#buffer.subarray(0, read);
  }

  #write(bytes: Buffer): void {
    const unfinished = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(unfinished, bytes);
      renameSync(unfinished, this.#file);
    } catch {
      // Without write access the next start takes as long as this one.
    }
  }
}

const ownLine = /^[ \t]*\/\/.*$/gm;
const ownBlock = /^[ \t]*\/\*(?:[^*]|\*(?!\/))*\*\/[ \t]*$/gm;
const lineContent = /[^\n]+/g;
const trailingBlanks = /[ \t]+$/gm;

/**
 * A module without the comments on lines of their own, and without the blanks at the ends of lines that types leave: a
 * program keeps its sources in memory. Each line stays where it is. Tidy checks that no template of ours has such lines.
 */
export const withoutComments = (source: string): string =>
  source
    .replace(ownBlock, (block) => block.replace(lineContent, ""))
    .replace(ownLine, "")
    .replace(trailingBlanks, "");

/** Strips types without Node's warning that it is experimental: the output of a program is its own. */
function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return withoutComments(stripTypeScriptTypes(source));
  } finally {
    process.emitWarning = emitWarning;
  }
}
