import { type Duplex, Transform } from "node:stream";
import { type Clock, systemClock } from "../time/clock.ts";

/** Limit of the time (ms) in which the other end closes, too. */
const lingerMs = 5_000;

/**
 * Forwards bytes in both directions, optionally with a limit per second and direction, until both
 * sides have ended. A side that has ended may still receive; one that breaks or disconnects closes
 * the other, but its earlier data is still forwarded.
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

/** Delays each chunk by the time that the chunks before it take. */
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
 * Sends all pending data, and reads and drops incoming data: a connection that is closed with
 * unread data, or that receives more afterwards, is reset, and the data on its way to the peer is
 * lost.
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
