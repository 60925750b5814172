import { boundToThisProcess, followProgram } from "#/std/process/follow-program.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

/** Reports that a route, a link or an address of the machine may have changed. */
export type FollowRoutes = (listener: () => void) => Disposable;

/** Also links and addresses: removing one removes its routes without a report. */
export const routeMonitor = boundToThisProcess("ip", "-o", "monitor", "route", "link", "address");

/** Follows changes by a child process (`ip monitor`). */
export function routeChangesOf(
  command: readonly string[] = routeMonitor,
  clock: Clock = systemClock,
): FollowRoutes {
  return (listener) => followProgram([command], clock, () => listener());
}
