import { basename, dirname } from "node:path";
import { logger } from "../log/log.ts";
import type { Clock } from "../time/clock.ts";
import { readFileSync, watch } from "./node-fs.ts";

const log = logger("file-content");
/** Interval of checks (ms), for changes that the file system doesn't report (network mounts). */
const checkMs = 60_000;

/**
 * The parsed content of a file, updated when the file changes. A change that can't be parsed is
 * logged, and the previous content stays.
 */
export class FileContent<T> implements Disposable {
  #value: T;
  #bytes: Buffer;
  readonly #path: string;
  readonly #parse: (bytes: Buffer) => T;
  readonly #onReplaced: ((old: T) => void) | undefined;
  readonly #stop: (() => void)[] = [];

  /** Throws if the file can't be read or parsed now. Replaced content is passed to onReplaced. */
  constructor(
    path: string,
    parse: (bytes: Buffer) => T,
    clock: Clock,
    onReplaced?: (old: T) => void,
  ) {
    this.#onReplaced = onReplaced;
    this.#path = path;
    this.#parse = parse;
    this.#bytes = readFileSync(path);
    this.#value = parse(this.#bytes);
    const watcher = watch(dirname(path), { persistent: false }, () => this.reload());
    watcher.on("error", (error) =>
      log.error(error, "failed to watch file", { file: basename(path) }),
    );
    const timer = clock.every(checkMs, () => this.reload(), { keepAlive: false });
    this.#stop.push(
      () => watcher.close(),
      () => timer.cancel(),
    );
  }

  get value(): T {
    return this.#value;
  }

  /** Checks the file now. */
  reload(): void {
    try {
      const bytes = readFileSync(this.#path);
      if (bytes.equals(this.#bytes)) return;
      this.#bytes = bytes;
      const old = this.#value;
      this.#value = this.#parse(bytes);
      this.#onReplaced?.(old);
    } catch (error) {
      log.error(error, "failed to reload file", { file: this.#path });
    }
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stop) stop();
  }
}
