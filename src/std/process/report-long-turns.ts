import { logger } from "../log/log.ts";
import { systemClock } from "../time/clock.ts";
import { onLongTurn } from "../time/turn-watch.ts";
import { longTurnLog } from "./long-turn-log.ts";

/** Logs long turns of the event loop with what they did, until it is disposed of. */
export function reportLongTurns(): Disposable {
  return onLongTurn(longTurnLog(logger("turns"), systemClock));
}
