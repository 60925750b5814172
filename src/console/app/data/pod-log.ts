import { signal } from "@preact/signals";
import { browserClock } from "../base/browser-clock.ts";
import { type LogLine, parseLogLine } from "../model/log-lines.ts";
import { ApiFailure } from "./api.ts";
import { lines, textStream } from "./stream.ts";

interface LogOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

/** Limit of the lines that are kept (count): the browser's memory; older ones are dropped. */
const maxLines = 20_000;
/** Lines from before the page was opened (count). */
const tailLines = 1_000;
/** The wait before new lines are shown (ms): many are shown together. */
const showMs = 80;
/** The wait before a log that ended is opened again (ms): the container may have restarted. */
const againMs = 2_000;

/** The log of a container, followed until the signal aborts. */
export class PodLog {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly failure = signal<Error | undefined>(undefined);
  readonly isFollowing = signal(false);
  #known: LogLine[] = [];
  #isWaiting = false;

  constructor(options: LogOptions, stop: AbortSignal) {
    void this.#run(options, stop);
  }

  async #run(options: LogOptions, stop: AbortSignal): Promise<void> {
    let since: number | undefined;
    while (!stop.aborted) {
      try {
        await this.#follow(options, since, stop);
        this.failure.value = undefined;
      } catch (error) {
        if (stop.aborted) return;
        this.failure.value = error as Error;
        if (error instanceof ApiFailure && error.status !== 400 && error.status < 500) return;
      }
      this.isFollowing.value = false;
      if (options.previous) return;
      since = this.#known.at(-1)?.ms;
      await browserClock.wait(againMs, stop);
    }
  }

  async #follow(options: LogOptions, since: number | undefined, stop: AbortSignal): Promise<void> {
    const { namespace, pod, container, previous } = options;
    const query = new URLSearchParams({ container, timestamps: "true" });
    if (previous) query.set("previous", "true");
    else query.set("follow", "true");
    if (since === undefined) query.set("tailLines", String(tailLines));
    else query.set("sinceTime", new Date(since + 1).toISOString());
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`;
    const pieces = textStream(path, { signal: stop, accept: "*/*" });
    for await (const line of lines(pieces)) {
      this.isFollowing.value = true;
      this.failure.value = undefined;
      this.#known.push(parseLogLine(line, container));
      this.#show();
    }
  }

  #show(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    browserClock.after(showMs, () => {
      this.#isWaiting = false;
      if (this.#known.length > maxLines) this.#known = this.#known.slice(-maxLines);
      this.lines.value = [...this.#known];
    });
  }
}
