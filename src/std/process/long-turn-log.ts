import type { Logger } from "../log/log.ts";
import type { Clock } from "../time/clock.ts";
import type { LongTurn } from "../time/turn-watch.ts";

/** Least time between two log lines (ms): a process that is always late must not fill its log. */
const logEveryMs = 1_000;

/** Writes a line for a long turn; those in between are counted in the next line. */
export function longTurnLog(
  log: Pick<Logger, "warning">,
  clock: Pick<Clock, "monotonicMs">,
): (turn: LongTurn) => void {
  let loggedMs = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return ({ turnMs, pieces, work, phase, pieceMs }) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - loggedMs < logEveryMs) {
      unlogged++;
      return;
    }
    log.warning("blocked the event loop", {
      turnMs: Math.round(turnMs),
      work: work.workKind,
      ...work.describeWork(),
      ...(phase === "" ? {} : { phase }),
      ...(pieces > 1 ? { pieces, pieceMs: Math.round(pieceMs) } : {}),
      ...(unlogged > 0 ? { unlogged } : {}),
    });
    loggedMs = nowMs;
    unlogged = 0;
  };
}
