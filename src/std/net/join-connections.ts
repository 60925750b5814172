import { type Duplex, Transform } from "node:stream";
import { type Clock, systemClock } from "../time/clock.ts";

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
    const way = bytesPerSecond > 0 ? slowed(bytesPerSecond, clock) : to;
    from.once("close", () => to.destroyed || endSoon(to, way, bytesPerSecond, clock));
    from.pipe(way);
    if (way !== to) way.pipe(to);
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
 * What was written, or is still on the way there, is sent, and what comes is read and dropped: a connection that is closed
 * with something unread, or that gets more when it is, is cut off, with all that is still on its way to the other end.
 */
function endSoon(connection: Duplex, way: Duplex, bytesPerSecond: number, clock: Clock): void {
  const heldMs = way === connection ? 0 : (way.writableLength / bytesPerSecond) * 1000;
  const end = (): void => void connection.destroy();
  const timer = clock.setTimer(heldMs + lingerMs, end, { keepAlive: false });
  connection.once("close", () => timer.cancel());
  way.end();
  connection.unpipe();
  connection.resume();
}
