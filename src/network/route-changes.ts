import { followProgram } from "#/std/process/follow-program.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { routeMonitor } from "./route-monitor.ts";

/**
 * Reports that a route, a link or an address of the machine may have changed, with the line of `ip -o monitor` that says
 * it: an empty one means that reports may have been lost.
 */
export type FollowRoutes = (listener: (line: string) => void) => Disposable;

/** Follows changes by a child process (`ip monitor`). */
export function routeChangesOf(
  command: readonly string[] = routeMonitor,
  clock: Clock = systemClock,
): FollowRoutes {
  return (listener) => followProgram([command], clock, listener);
}
