import { type Duplex, Transform } from "node:stream";
import { type Clock, systemClock } from "./clock.ts";

/** How long the other end may take to hang up, too. */
const lingerMs = 5_000;

/**
 * Passes bytes both ways, no more than so many a second each way if that is given, until both sides have ended. A side that
 * has ended may still listen; one that breaks, or goes away, takes the other with it, but not what it has said before.
 */
export function joinConnections(
  one: Duplex,
  other: Duplex,
  clock: Clock = systemClock,
  bytesPerSecond = 0,
): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.allowHalfOpen = true;
    from.on("error", () => from.destroy());
    from.once("close", () => to.destroyed || endSoon(to, clock));
    if (bytesPerSecond > 0) from.pipe(slowed(bytesPerSecond, clock)).pipe(to);
    else from.pipe(to);
  }
}

/** Passes each chunk on once as much time has gone by as those before it take. */
function slowed(bytesPerSecond: number, clock: Clock): Transform {
  let freeAtMs = clock.monotonicMs();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const now = clock.monotonicMs();
      freeAtMs = Math.max(freeAtMs, now) + (chunk.length / bytesPerSecond) * 1000;
      clock.setTimer(freeAtMs - now, () => done(null, chunk), { keepAlive: false });
    },
  });
}

/**
 * What was written is still sent, and what comes is read and dropped: a connection that is closed with something unread,
 * or that gets more when it is, is cut off, with all that is still on its way to the other end.
 */
function endSoon(connection: Duplex, clock: Clock): void {
  const timer = clock.setTimer(lingerMs, () => connection.destroy(), { keepAlive: false });
  connection.once("close", () => timer.cancel());
  connection.end();
  connection.resume();
}
