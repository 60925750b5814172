import { followProgram } from "#/std/process/follow-program.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { routeMonitor } from "./route-monitor.ts";

/** Reports that a route, a link or an address of the machine may have changed. */
export type FollowRoutes = (listener: () => void) => Disposable;

/** Follows changes by a child process (`ip monitor`). */
export function routeChangesOf(
  command: readonly string[] = routeMonitor,
  clock: Clock = systemClock,
): FollowRoutes {
  return (listener) => followProgram([command], clock, () => listener());
}
