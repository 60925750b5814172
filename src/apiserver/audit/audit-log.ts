import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Event } from "#/api/audit/v1.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { isLarge } from "../model/pace.ts";
import { encodeInTurns } from "../outgoing/encode-in-turns.ts";
import { legacyLine } from "./audit-event.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import type { AuditSink } from "./audit-sink.ts";

interface AuditLogOptions {
  /** "-" for standard output. */
  readonly path: string;
  readonly format: "json" | "legacy";
  readonly maxBytes: number;
  /** Limits of old files, by number and age; 0 for none. */
  readonly maxBackups: number;
  readonly maxAgeDays: number;
  readonly compress: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AuditMetrics;
}

const dayMs = 24 * 3600 * 1000;

/** Writes events to a file, one per line, and rotates it when it is full. Upstream: natefinch/lumberjack. */
export class AuditLog implements AuditSink {
  readonly #options: AuditLogOptions;
  #lines: string[] = [];
  #file: FileHandle | undefined;
  #size = 0;
  #writing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  /** Resolves when the event is written. */
  record(event: Event, bodyBytes = 0): Promise<void> {
    if (this.#options.format === "legacy") return this.#add(legacyLine(event));
    if (!isLarge(bodyBytes)) return this.#add(JSON.stringify(event));
    return encodeInTurns(event).then((line) => this.#add(line.toString()));
  }

  #add(line: string): Promise<void> {
    this.#lines.push(`${line}\n`);
    this.#writing ??= this.#write();
    return this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#file?.close();
  }

  /** Writes all events, including those that arrive meanwhile. */
  async #write(): Promise<void> {
    // Events of the same event-loop turn are written together.
    await Promise.resolve();
    let lost = 0;
    try {
      while (this.#lines.length > 0) {
        const text = this.#lines.join("");
        lost = this.#lines.length;
        this.#lines = [];
        await this.#append(Buffer.from(text));
      }
    } catch (error) {
      this.#options.metrics.lost("log", lost);
      this.#options.log.error(error, "failed to write audit log");
      throw error;
    } finally {
      this.#writing = undefined;
    }
  }

  async #append(bytes: Buffer): Promise<void> {
    const { path, maxBytes } = this.#options;
    if (path === "-") {
      process.stdout.write(bytes);
      return;
    }
    if (!this.#file) await this.#open();
    if (this.#size > 0 && this.#size + bytes.length > maxBytes) await this.#rotate();
    await this.#file?.appendFile(bytes);
    this.#size += bytes.length;
  }

  async #open(): Promise<void> {
    this.#file = await open(this.#options.path, "a", 0o600);
    this.#size = (await this.#file.stat()).size;
  }

  async #rotate(): Promise<void> {
    const { path, clock, compress } = this.#options;
    await this.#file?.close();
    const stamp = new Date(clock.now()).toISOString().replaceAll(":", "-").replace("Z", "");
    const extension = extname(path);
    const backup = `${path.slice(0, path.length - extension.length)}-${stamp}${extension}`;
    await rename(path, backup);
    await this.#open();
    if (compress) await compressFile(backup);
    await this.#removeOld();
  }

  async #removeOld(): Promise<void> {
    const { path, maxBackups, maxAgeDays, clock } = this.#options;
    const directory = dirname(path);
    const prefix = `${basename(path, extname(path))}-`;
    const names = (await readdir(directory)).filter((name) => name.startsWith(prefix)).sort();
    const surplus = maxBackups > 0 ? names.slice(0, Math.max(0, names.length - maxBackups)) : [];
    for (const name of names) {
      const file = join(directory, name);
      const { mtimeMs } = await stat(file);
      const isOld = maxAgeDays > 0 && clock.now() - mtimeMs > maxAgeDays * dayMs;
      if (isOld || surplus.includes(name)) await rm(file, { force: true });
    }
  }
}

async function compressFile(file: string): Promise<void> {
  await pipeline(createReadStream(file), createGzip(), createWriteStream(`${file}.gz`));
  await rm(file);
}
