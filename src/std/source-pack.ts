import {
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/** Where a source is in the pack, and the state of the file that it was made from. */
interface Entry {
  readonly state: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Sources without their types, all in one file: one read instead of thousands, and nothing to strip. A source counts as
 * long as its file has neither changed its size nor its times.
 */
export class SourcePack {
  readonly #file: string;
  /** Of the file as it was when it was opened, whatever takes its place. */
  #descriptor = -1;
  #bodyStart = 0;
  /** All of it, for as long as much is loaded at once. */
  #body: Buffer | undefined;
  #entries = new Map<string, Entry>();
  readonly #added = new Map<string, { readonly state: string; readonly source: string }>();
  /** How many of those have been saved. */
  #saved = 0;

  /** Opens a pack; one that isn't there, or can't be read, is empty. */
  constructor(file: string) {
    this.#file = file;
    try {
      this.#descriptor = openSync(file, "r");
      const bytes = this.#read(0, fstatSync(this.#descriptor).size);
      this.#bodyStart = bytes.indexOf("\n") + 1;
      const head = bytes.toString("utf8", 0, this.#bodyStart);
      this.#entries = new Map(JSON.parse(head) as [string, Entry][]);
      this.#body = bytes.subarray(this.#bodyStart);
    } catch {
      // All will be made anew.
    }
  }

  /** What is to be run of a file. */
  source(path: string): string {
    const { size, mtimeMs, ctimeMs } = statSync(path);
    const state = `${size} ${mtimeMs} ${ctimeMs}`;
    const found = this.#entries.get(path);
    if (found?.state === state) return this.#bytes(found).toString();
    const source = stripTypeScriptTypes(readFileSync(path, "utf8"));
    this.#added.set(path, { state, source });
    return source;
  }

  /** Writes what was added, if anything was and the file may be written. */
  save(): void {
    if (this.#added.size === this.#saved) return;
    this.#saved = this.#added.size;
    const kept = [...this.#entries].filter(([path]) => !this.#added.has(path));
    const all = [
      ...kept.map(([path, entry]) => ({ path, state: entry.state, bytes: this.#bytes(entry) })),
      ...[...this.#added].map(([path, { state, source }]) => ({
        path,
        state,
        bytes: Buffer.from(source),
      })),
    ];
    let end = 0;
    const entries = all.map(({ path, state, bytes }) => {
      const start = end;
      end += bytes.length;
      return [path, { state, start, end }];
    });
    const head = Buffer.from(`${JSON.stringify(entries)}\n`);
    this.#write(Buffer.concat([head, ...all.map(({ bytes }) => bytes)]));
  }

  /** Keeps nothing in memory; what is asked for from now on is read by itself. */
  release(): void {
    this.#body = undefined;
  }

  #bytes({ start, end }: Entry): Buffer {
    return this.#body?.subarray(start, end) ?? this.#read(this.#bodyStart + start, end - start);
  }

  #read(position: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(size);
    const read = readSync(this.#descriptor, bytes, 0, size, position);
    if (read !== size) throw new Error(`${this.#file} was cut off`);
    return bytes;
  }

  #write(bytes: Buffer): void {
    const unfinished = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(unfinished, bytes);
      renameSync(unfinished, this.#file);
    } catch {
      // Somebody who may only read: the next start takes as long as this one.
    }
  }
}
