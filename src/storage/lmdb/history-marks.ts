/** Limits of the history that is kept for reads and watches. */
export interface HistoryLimits {
  readonly historyMs: number;
  readonly historyBytes: number;
}

/** A part of history: its start time, its last revision, and the size of its versions. */
interface Mark {
  readonly atMs: number;
  revision: number;
  bytes: number;
}

/**
 * Marks per limit: each mark covers at most this fraction of the limits, so that the kept history
 * is close to them.
 */
const marksPerLimit = 16;

/** Finds the revisions that exceed the time or size limit of history. */
export class HistoryMarks {
  readonly #limits: HistoryLimits;
  readonly #marks: Mark[] = [];
  #bytes = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Adds new versions up to a revision. */
  add(nowMs: number, revision: number, bytes: number): void {
    const { historyMs, historyBytes } = this.#limits;
    const last = this.#marks.at(-1);
    this.#bytes += bytes;
    if (
      last &&
      nowMs - last.atMs < historyMs / marksPerLimit &&
      last.bytes < historyBytes / marksPerLimit
    ) {
      last.revision = revision;
      last.bytes += bytes;
    } else this.#marks.push({ atMs: nowMs, revision, bytes });
  }

  /** The newest revision beyond the limits; 0 for none. Each is returned once. */
  takeOutdated(nowMs: number): number {
    const { historyMs, historyBytes } = this.#limits;
    let revision = 0;
    for (let first = this.#marks[0]; first; first = this.#marks[0]) {
      if (first.atMs + historyMs > nowMs && this.#bytes <= historyBytes) break;
      this.#marks.shift();
      this.#bytes -= first.bytes;
      revision = first.revision;
    }
    return revision;
  }

  /** When the oldest mark expires; undefined if there is none. */
  get nextOutdatedMs(): number | undefined {
    const first = this.#marks[0];
    return first && first.atMs + this.#limits.historyMs;
  }
}
