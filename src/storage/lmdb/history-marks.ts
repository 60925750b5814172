/** How much of the past is kept for reads and watches. */
export interface HistoryLimits {
  readonly historyMs: number;
  readonly historyBytes: number;
}

/** A stretch of the past: when it began, where it ends, and how many bytes of versions it has. */
interface Mark {
  readonly atMs: number;
  revision: number;
  bytes: number;
}

/** Stretches are at most such a part of the limits long, so that what is kept stays close to them. */
const marksPerLimit = 16;

/** Tells which revisions have become too old, or too much, to be remembered. */
export class HistoryMarks {
  readonly #limits: HistoryLimits;
  readonly #marks: Mark[] = [];
  #bytes = 0;

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Takes note of new versions up to a revision. */
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

  /** The newest revision that is beyond the limits; 0 for none. It is told once. */
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

  /** When the oldest stretch becomes outdated; undefined if there is none. */
  get nextOutdatedMs(): number | undefined {
    const first = this.#marks[0];
    return first && first.atMs + this.#limits.historyMs;
  }
}
