import type { LogLine } from "../files/log-line.ts";

/** Milliseconds since 1970, for comparison with a requested time. */
function logTimeMs(time: string): number {
  return Date.parse(time.replace(/(\.\d{3})\d+/, "$1"));
}

export interface LogFilter {
  readonly timestamps: boolean;
  /** Older lines are skipped. */
  readonly sinceMs: number;
  readonly limitBytes: number;
  readonly streams: ReadonlySet<"stdout" | "stderr">;
}

/** Converts log lines to output, and reports when the limit is reached. */
export class LogFormatter {
  readonly #filter: LogFilter;
  #remaining: number;
  #lineStart = true;

  constructor(filter: LogFilter) {
    this.#filter = filter;
    this.#remaining = filter.limitBytes;
  }

  get finished(): boolean {
    return this.#remaining <= 0;
  }

  format({ time, stream, content, partial }: LogLine): Buffer | undefined {
    const { timestamps, sinceMs, streams } = this.#filter;
    const atStart = this.#lineStart;
    this.#lineStart = !partial;
    if (sinceMs > 0 && logTimeMs(time) < sinceMs) return undefined;
    if (!streams.has(stream)) return undefined;
    const shown =
      timestamps && atStart ? Buffer.concat([Buffer.from(`${time} `), content]) : content;
    const cut = shown.subarray(0, this.#remaining);
    this.#remaining -= cut.length;
    return cut;
  }
}
