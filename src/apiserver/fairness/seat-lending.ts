import type { PriorityLevel, SeatPool } from "./priority-level.ts";

/**
 * Seats that levels lend one another while they are unused. A borrower returns its seats one request at a time,
 * whenever the lender has waiting requests.
 */
export class SeatLending implements SeatPool {
  #levels: readonly PriorityLevel[] = [];

  setLevels(levels: readonly PriorityLevel[]): void {
    this.#levels = levels;
  }

  mayBorrow(borrower: PriorityLevel, seats: number): boolean {
    const { borrowingLimitPercent } = borrower.config.spec.limited ?? {};
    const borrowed = Math.max(0, borrower.usedSeats - borrower.nominalSeats) + seats;
    if (borrowingLimitPercent !== undefined) {
      const limit = Math.round((borrower.nominalSeats * borrowingLimitPercent) / 100);
      if (borrowed > limit) return false;
    }
    let idle = -seats;
    for (const level of this.#levels) {
      if (level.isExempt) continue;
      idle -= Math.max(0, level.usedSeats - level.nominalSeats);
      if (level !== borrower) idle += lendable(level);
    }
    return idle >= 0;
  }

  released(level: PriorityLevel): void {
    for (const other of this.#levels) if (other !== level && other.queued > 0) other.dispatch();
  }
}

/** Seats that a level may lend and doesn't need now. */
function lendable({ config, nominalSeats, usedSeats, waitingSeats }: PriorityLevel): number {
  const percent = config.spec.limited?.lendablePercent ?? 0;
  const most = Math.round((nominalSeats * percent) / 100);
  return Math.max(0, Math.min(most, nominalSeats - usedSeats - waitingSeats));
}
