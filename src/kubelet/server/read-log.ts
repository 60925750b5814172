/** Upstream: k8s.io/cri-client/pkg/logs/logs.go, tail.go. */
import { watch } from "node:fs";
import { type FileHandle, realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock } from "#/std/time/clock.ts";
import { parseLogLine } from "../files/log-line.ts";
import { openRegularFile } from "../files/open-regular-file.ts";
import { type LogFilter, LogFormatter } from "./log-formatter.ts";

export interface ReadLogOptions extends LogFilter {
  /** Undefined for all. */
  readonly tailLines: number | undefined;
  readonly follow: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether more output may follow. */
  isRunning(): Promise<boolean>;
}

const newline = 0x0a;
const blockBytes = 64 << 10;
/** Interval for reading a file again whose changes the file system doesn't report (ms). */
const checkMs = 1_000;

/** The output of a container, piece by piece; with `follow` until it ends. */
export async function* readLog(path: string, options: ReadLogOptions): AsyncGenerator<Buffer> {
  const real = await realpath(path);
  const formatter = new LogFormatter(options);
  if (formatter.finished) return;
  const limited = options.tailLines !== undefined && !options.follow;
  let left = limited ? (options.tailLines ?? 0) : Number.POSITIVE_INFINITY;
  for await (const line of fileLines(real, options)) {
    if (left <= 0) return;
    const parsed = parseLogLine(line);
    if (parsed === undefined) continue;
    const shown = formatter.format(parsed);
    if (shown !== undefined && shown.length > 0) yield shown;
    if (formatter.finished) return;
    if (limited && !parsed.partial) left -= 1;
  }
}

/** Lines with their ends from the start of the tail; a file that replaces this one is read from its start. */
async function* fileLines(path: string, options: ReadLogOptions): AsyncGenerator<Buffer> {
  let file = await openRegularFile(path, { followsLinks: true });
  try {
    let at = await tailStart(file, options.tailLines);
    let rest: Buffer = Buffer.alloc(0);
    using changes = options.follow ? new FileChanges(path, options) : undefined;
    let running = true;
    while (!options.signal.aborted) {
      const block = Buffer.alloc(blockBytes);
      const { bytesRead } = await file.read(block, 0, blockBytes, at);
      if (bytesRead > 0) {
        at += bytesRead;
        const lines = splitLines(Buffer.concat([rest, block.subarray(0, bytesRead)]));
        rest = lines.rest;
        yield* lines.whole;
        continue;
      }
      if (changes === undefined || !running) break;
      running = await options.isRunning();
      if (running) await changes.next();
      const fresh = await replacement(file, path);
      if (fresh === undefined) continue;
      await file.close();
      file = fresh;
      at = 0;
    }
    if (rest.length > 0 && !options.follow) yield rest;
  } finally {
    await file.close();
  }
}

/** The file of this name, if it is now another one. */
async function replacement(file: FileHandle, path: string): Promise<FileHandle | undefined> {
  try {
    const [held, named] = await Promise.all([file.stat(), stat(path)]);
    return held.ino === named.ino ? undefined : await openRegularFile(path, { followsLinks: true });
  } catch {
    return undefined;
  }
}

function splitLines(bytes: Buffer): { whole: Buffer[]; rest: Buffer } {
  const whole: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    whole.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  return { whole, rest: bytes.subarray(start) };
}

/** Offset of the last `lines` lines; parts of a line count as lines, as upstream counts them. */
async function tailStart(file: FileHandle, lines: number | undefined): Promise<number> {
  if (lines === undefined || lines < 0) return 0;
  const { size } = await file.stat();
  if (lines === 0) return size;
  let ends = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(end - blockBytes, 0);
    const block = Buffer.alloc(end - start);
    await file.read(block, 0, block.length, start);
    for (let at = block.length - 1; at >= 0; at--) {
      if (block[at] !== newline || start + at === size - 1) continue;
      ends += 1;
      if (ends === lines) return start + at + 1;
    }
    end = start;
  }
  return 0;
}

/** Waits for the next change of a file, or for the timeout. */
class FileChanges implements Disposable {
  readonly #watcher;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #wake: (() => void) | undefined;
  #changed = false;

  constructor(path: string, { clock, signal }: ReadLogOptions) {
    this.#clock = clock;
    this.#signal = signal;
    this.#watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name !== basename(path)) return;
      this.#changed = true;
      this.#wake?.();
    });
    this.#watcher.on("error", () => undefined);
  }

  async next(): Promise<void> {
    if (!this.#changed) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      const either = AbortSignal.any([woken.signal, this.#signal]);
      await this.#clock.sleep(checkMs, either).catch(() => undefined);
    }
    this.#changed = false;
    this.#wake = undefined;
  }

  [Symbol.dispose](): void {
    this.#watcher.close();
  }
}
