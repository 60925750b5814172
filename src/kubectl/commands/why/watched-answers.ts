import type { ApiRequest, Transport } from "#/client/transport/transport.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Answer } from "#/why/read/snapshot.ts";
import { watchRequest } from "./watch-request.ts";

/** Limit of the watches at once (count): a server must not be kept busy by one question. */
const maxWatches = 100;
/** Delay (ms) after a change: several come together. */
const settleMs = 200;
/** Limit of the time (ms) between two looks: causes depend on time, and a log has no watch. */
const lookMs = 5000;

interface WatchedOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What was read for a diagnosis, each path with a watch; what has changed is left out, so that it is read again. */
export class WatchedAnswers implements Disposable {
  readonly answers: Map<string, Answer> = new Map();
  readonly #options: WatchedOptions;
  readonly #watches: Map<string, AbortController> = new Map();
  #changed: AbortController = new AbortController();

  constructor(options: WatchedOptions) {
    this.#options = options;
  }

  /** Watches what was read since the last call; resolves when something has changed, or time has passed. */
  async change(): Promise<void> {
    const { clock, signal } = this.#options;
    for (const [path, answer] of this.answers) this.#follow(path, answer);
    const either = AbortSignal.any([signal, this.#changed.signal]);
    await clock.sleep(lookMs, either).catch(() => clock.sleep(settleMs, signal));
    this.#changed = new AbortController();
    for (const path of this.answers.keys()) if (!this.#watches.has(path)) this.answers.delete(path);
  }

  #follow(path: string, answer: Answer): void {
    const request = watchRequest(path, answer);
    if (!request || this.#watches.has(path) || this.#watches.size >= maxWatches) return;
    const end = new AbortController();
    this.#watches.set(path, end);
    const signal = AbortSignal.any([this.#options.signal, end.signal]);
    // Without a watch, it is read again at the next look.
    const ended = (): void => this.#drop(path, end);
    this.#watch(path, end, { ...request, signal }).then(ended, ended);
  }

  async #watch(path: string, end: AbortController, request: ApiRequest): Promise<void> {
    for await (const { type } of this.#options.transport.watch(request)) {
      if (type === "BOOKMARK") continue;
      this.#drop(path, end);
      this.#changed.abort();
      return;
    }
  }

  #drop(path: string, end: AbortController): void {
    if (this.#watches.get(path) !== end) return;
    this.#watches.delete(path);
    this.answers.delete(path);
    end.abort();
  }

  [Symbol.dispose](): void {
    for (const end of this.#watches.values()) end.abort();
  }
}
