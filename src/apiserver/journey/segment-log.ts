import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Timer } from "#/std/time/clock.ts";

interface SegmentLogOptions {
  readonly directory: string;
  /** What the names of the files end in. */
  readonly extension: string;
  /** Limit of all files (bytes); the oldest is removed. */
  readonly maxBytes: number;
  /** Size from which a new file is begun (bytes). */
  readonly segmentBytes: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Bytes that wait for the disk: pieces that follow each other, and are not copied. */
interface Part {
  readonly pieces: readonly Uint8Array[];
  readonly sizeBytes: number;
  /** Whether a file may begin with them. */
  readonly isStart: boolean;
}

/** Limits of what waits to be written together: time (ms) and size (bytes). A write for each part would cost more. */
const batchMs = 250;
const batchBytes = 256 << 10;
/** Limit of files (count): each start of the server makes one. */
const maxFiles = 500;
/** Limit of parts that wait for the disk (bytes). */
const maxWaitingBytes = 16 << 20;

/**
 * Bytes in files of a bounded size, appended in the background. A process that is killed leaves at most one incomplete
 * part, at the end of a file. Every process begins a file of its own.
 */
export class SegmentLog implements AsyncDisposable {
  readonly #options: SegmentLogOptions;
  /** Numbers and sizes (bytes) of the complete files, the oldest first. */
  #files: { readonly number: number; readonly bytes: number }[] = [];
  /** The number of files of earlier processes. */
  #earlier = 0;
  #file: FileHandle | undefined;
  #number = 0;
  #size = 0;
  #waiting: Part[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #isBroken = false;
  #timer: Timer | undefined;

  private constructor(options: SegmentLogOptions) {
    this.#options = options;
  }

  static async open(options: SegmentLogOptions): Promise<SegmentLog> {
    const log = new SegmentLog(options);
    const { directory, extension } = options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const name of (await readdir(directory)).sort()) {
      const [, digits, found] = /^(\d{8})\.(\w+)$/.exec(name) ?? [];
      if (digits === undefined || found !== extension) continue;
      const { size: bytes } = await stat(join(directory, name));
      log.#files.push({ number: Number(digits), bytes });
    }
    log.#number = (log.#files.at(-1)?.number ?? 0) + 1;
    await log.#trim();
    log.#earlier = log.#files.length;
    return log;
  }

  /**
   * Appends pieces that follow each other, and must not change any more. If the disk is slower than the callers, those
   * beyond the limit are dropped.
   */
  append(pieces: readonly Uint8Array[], isStart = true): void {
    if (this.#isBroken || this.#waitingBytes > maxWaitingBytes) return;
    const sizeBytes = sizeOf(pieces);
    this.#waiting.push({ pieces, sizeBytes, isStart });
    this.#waitingBytes += sizeBytes;
    if (this.#waitingBytes >= batchBytes) void this.flush();
    else {
      this.#timer ??= this.#options.clock.setTimer(batchMs, () => void this.flush(), {
        keepAlive: false,
      });
    }
  }

  /** The newest files of earlier processes, up to about this size (bytes), the oldest first. */
  async *earlier(limitBytes: number): AsyncGenerator<Buffer> {
    const files = this.#files.slice(0, this.#earlier);
    let sum = 0;
    let first = files.length;
    while (first > 0 && sum < limitBytes) sum += files[--first]?.bytes ?? 0;
    for (const { number } of files.slice(first)) yield await this.#read(number);
  }

  /** All files, the oldest first. */
  async *all(): AsyncGenerator<Buffer> {
    await this.flush();
    const current = this.#file ? [{ number: this.#number }] : [];
    for (const { number } of [...this.#files, ...current]) yield await this.#read(number);
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    await this.#file?.close();
    this.#file = undefined;
  }

  async #read(number: number): Promise<Buffer> {
    try {
      return await readFile(this.#path(number));
    } catch (error) {
      // It was removed meanwhile, as the oldest.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
      throw error;
    }
  }

  async #write(): Promise<void> {
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) {
        const parts = this.#waiting;
        this.#waiting = [];
        this.#waitingBytes = 0;
        for (const part of joined(parts)) await this.#append(part);
      }
    } catch (error) {
      // A full disk must not fill the memory or the log: what follows is kept in memory only.
      this.#isBroken = true;
      this.#options.onError(error);
    } finally {
      this.#writing = undefined;
    }
  }

  async #append({ pieces, sizeBytes, isStart }: Part): Promise<void> {
    if (isStart && this.#size >= this.#options.segmentBytes) await this.#next();
    this.#file ??= await open(this.#path(this.#number), "a", 0o600);
    const { bytesWritten } = await this.#file.writev(pieces);
    // A full disk takes a part: the rest is refused with the reason.
    if (bytesWritten < sizeBytes) {
      await this.#file.appendFile(Buffer.concat(pieces).subarray(bytesWritten));
    }
    this.#size += sizeBytes;
  }

  async #next(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    this.#files.push({ number: this.#number++, bytes: this.#size });
    this.#size = 0;
    await this.#trim();
  }

  /** Removes the oldest files, so that there is room for another one. */
  async #trim(): Promise<void> {
    const { maxBytes, segmentBytes } = this.#options;
    let sum = this.#files.reduce((total, { bytes }) => total + bytes, segmentBytes);
    while (sum > maxBytes || this.#files.length > maxFiles) {
      const oldest = this.#files.shift();
      if (!oldest) return;
      if (this.#earlier > 0) this.#earlier--;
      sum -= oldest.bytes;
      await rm(this.#path(oldest.number), { force: true });
    }
  }

  #path(number: number): string {
    const { directory, extension } = this.#options;
    return join(directory, `${String(number).padStart(8, "0")}.${extension}`);
  }
}

/** Parts joined as far as no file may begin between them. */
function joined(parts: readonly Part[]): readonly Part[] {
  const groups: Part[][] = [];
  let size = 0;
  for (const part of parts) {
    const last = groups.at(-1);
    if (last && (!part.isStart || size < batchBytes)) last.push(part);
    else {
      groups.push([part]);
      size = 0;
    }
    size += part.sizeBytes;
  }
  return groups.map((group) => ({
    pieces: group.flatMap(({ pieces }) => pieces),
    sizeBytes: group.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    isStart: group[0]?.isStart ?? true,
  }));
}

const sizeOf = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);
