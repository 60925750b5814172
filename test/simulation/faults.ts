import type { Dice } from "./dice.ts";

/** Rates of the faults, as shares of all requests, events or writes. */
export interface FaultRates {
  /** A request that never arrives. */
  readonly lostRequest: number;
  /** A request that is served, but whose response is lost. */
  readonly lostAnswer: number;
  /** A request, response or event that is delayed. */
  readonly slow: number;
  /** A watch that ends at an event. */
  readonly brokenWatch: number;
  /** A watch that is refused with 410 when it resumes. */
  readonly goneWatch: number;
  /** A bookmark that is not sent. */
  readonly lostBookmark: number;
  /** A write that the store refuses. */
  readonly refusedWrite: number;
  /** A write whose outcome the store does not report. */
  readonly ambiguousWrite: number;
}

const someFaults: FaultRates = {
  lostRequest: 0.01,
  lostAnswer: 0.01,
  slow: 0.05,
  brokenWatch: 0.01,
  goneWatch: 0.2,
  lostBookmark: 0.5,
  refusedWrite: 0.005,
  ambiguousWrite: 0.005,
};

/** Decides which operations fail. Switched off, none does. */
export class Faults {
  isOn = false;
  readonly #dice: Dice;
  readonly #rates: FaultRates;

  constructor(dice: Dice, rates: Partial<FaultRates> = {}) {
    this.#dice = dice;
    this.#rates = { ...someFaults, ...rates };
  }

  happens(fault: keyof FaultRates): boolean {
    return this.isOn && this.#dice.chance(this.#rates[fault]);
  }

  /** Duration of a delay (ms). */
  delayMs(): number {
    return this.#dice.chance(0.2) ? this.#dice.between(500, 4_000) : this.#dice.between(1, 200);
  }

  coin(): boolean {
    return this.#dice.chance(0.5);
  }
}
