import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Clock, Timer } from "#/std/time/clock.ts";

interface SegmentLogOptions {
  readonly directory: string;
  /** Limit of all files (bytes); the oldest is removed. */
  readonly maxBytes: number;
  /** Size from which a new file is begun (bytes). */
  readonly segmentBytes: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const namePattern = /^(\d{8})\.jsonl$/;

/**
 * Lines in files of a bounded size, appended in the background. A process that is killed leaves at most one incomplete
 * line, at the end of a file. Every process begins a file of its own.
 */
export class SegmentLog implements AsyncDisposable {
  readonly #options: SegmentLogOptions;
  /** Numbers and sizes (bytes) of the complete files, the oldest first. */
  #segments: { readonly number: number; readonly bytes: number }[] = [];
  #file: FileHandle | undefined;
  #number = 0;
  #size = 0;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #isBroken = false;
  #timer: Timer | undefined;

  private constructor(options: SegmentLogOptions) {
    this.#options = options;
  }

  static async open(options: SegmentLogOptions): Promise<SegmentLog> {
    const log = new SegmentLog(options);
    await mkdir(options.directory, { recursive: true, mode: 0o700 });
    for (const name of (await readdir(options.directory)).sort()) {
      const [, digits] = namePattern.exec(name) ?? [];
      if (digits === undefined) continue;
      const { size: bytes } = await stat(join(options.directory, name));
      log.#segments.push({ number: Number(digits), bytes });
    }
    log.#number = (log.#segments.at(-1)?.number ?? 0) + 1;
    return log;
  }

  /** Appends a line. If the disk is slower than the callers, lines beyond the limit are dropped. */
  append(line: string): void {
    if (this.#isBroken || this.#waitingBytes > maxWaitingBytes) return;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes >= batchBytes) this.#flush();
    else {
      this.#timer ??= this.#options.clock.setTimer(batchMs, () => this.#flush(), {
        keepAlive: false,
      });
    }
  }

  /** The lines of the newest files, in order, up to about this size (bytes). */
  async *newest(limitBytes: number): AsyncGenerator<string> {
    let sum = 0;
    let first = this.#segments.length;
    while (first > 0 && sum < limitBytes) sum += this.#segments[--first]?.bytes ?? 0;
    for (const { number } of this.#segments.slice(first)) yield* this.#read(number);
  }

  /** All lines that contain the text, in order. */
  async *find(text: string): AsyncGenerator<string> {
    this.#flush();
    await this.#writing;
    const current = this.#file ? [{ number: this.#number }] : [];
    for (const { number } of [...this.#segments, ...current]) {
      for await (const line of this.#read(number)) if (line.includes(text)) yield line;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
  }

  async *#read(number: number): AsyncGenerator<string> {
    const input = createReadStream(this.#path(number), { encoding: "utf8" });
    try {
      yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    } catch (error) {
      // It was removed meanwhile, as the oldest.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    } finally {
      input.destroy();
    }
  }

  async #write(): Promise<void> {
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) {
        const bytes = Buffer.from(`${this.#waiting.join("\n")}\n`);
        this.#waiting = [];
        this.#waitingBytes = 0;
        this.#file ??= await open(this.#path(this.#number), "a", 0o600);
        await this.#file.appendFile(bytes);
        this.#size += bytes.length;
        if (this.#size >= this.#options.segmentBytes) await this.#next();
      }
    } catch (error) {
      // A full disk must not fill the memory or the log: what follows is kept in memory only.
      this.#isBroken = true;
      this.#options.onError(error);
    } finally {
      this.#writing = undefined;
    }
  }

  async #next(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    this.#segments.push({ number: this.#number++, bytes: this.#size });
    this.#size = 0;
    let sum = this.#segments.reduce((total, { bytes }) => total + bytes, 0);
    while (sum + this.#options.segmentBytes > this.#options.maxBytes) {
      const oldest = this.#segments.shift();
      if (!oldest) return;
      sum -= oldest.bytes;
      await rm(this.#path(oldest.number), { force: true });
    }
  }

  #path(number: number): string {
    return join(this.#options.directory, `${String(number).padStart(8, "0")}.jsonl`);
  }
}

/** Limits of what waits to be written together: time (ms) and size (characters). A write for each line would cost more. */
const batchMs = 250;
const batchBytes = 256 << 10;
/** Limit of lines that wait for the disk (characters). */
const maxWaitingBytes = 16 << 20;
