/** A piece of work, described only when a turn was long. */
export interface Work {
  /** Its kind, as a value of a metric's label: "request", "controller". */
  readonly workKind: string;
  /** Its identity, for the log. */
  describeWork(): Readonly<Record<string, unknown>>;
}

/** A turn of the event loop that took too long. */
export interface LongTurn {
  readonly turnMs: number;
  /** Pieces of work that were entered in the turn. */
  readonly pieces: number;
  /** The longest of them. */
  readonly work: Work;
  readonly phase: string;
  readonly pieceMs: number;
}

/** Limit of a turn of the event loop (ms): a longer one delays everything else in the process. */
const longTurnMs = 50;

/**
 * Measures the turns of the event loop from where work is entered to the end of the turn. An entry costs a look at the
 * clock, a turn an immediate; a turn in which nothing is entered costs nothing.
 */
export class TurnWatch {
  readonly #monotonicMs: () => number;
  readonly #afterTurn: (run: () => void) => void;
  readonly #onLong: (turn: LongTurn) => void;
  readonly #end = (): void => this.#endTurn();
  #isOpen = false;
  #startMs = 0;
  #pieceStartMs = 0;
  #pieces = 0;
  #work: Work | undefined;
  #phase = "";
  #longest: { work: Work; phase: string; pieceMs: number } | undefined;

  constructor(
    onLong: (turn: LongTurn) => void,
    monotonicMs: () => number,
    afterTurn: (run: () => void) => void,
  ) {
    this.#onLong = onLong;
    this.#monotonicMs = monotonicMs;
    this.#afterTurn = afterTurn;
  }

  /** The work that was entered last in this turn. */
  get work(): Work | undefined {
    return this.#work;
  }

  /** Work begins, or enters another phase; what was entered before it in this turn ends. */
  enter(work: Work, phase = ""): void {
    const nowMs = this.#monotonicMs();
    if (this.#isOpen) this.#endPiece(nowMs);
    else {
      this.#isOpen = true;
      this.#startMs = nowMs;
      this.#pieces = 0;
      this.#longest = undefined;
      this.#afterTurn(this.#end);
    }
    this.#work = work;
    this.#phase = phase;
    this.#pieceStartMs = nowMs;
    this.#pieces++;
  }

  #endPiece(nowMs: number): void {
    const pieceMs = nowMs - this.#pieceStartMs;
    if (!this.#work || pieceMs <= (this.#longest?.pieceMs ?? 1)) return;
    this.#longest = { work: this.#work, phase: this.#phase, pieceMs };
  }

  #endTurn(): void {
    const nowMs = this.#monotonicMs();
    this.#isOpen = false;
    const turnMs = nowMs - this.#startMs;
    if (turnMs > longTurnMs) {
      this.#endPiece(nowMs);
      if (this.#longest) this.#onLong({ turnMs, pieces: this.#pieces, ...this.#longest });
    }
    this.#work = undefined;
    this.#longest = undefined;
  }
}
