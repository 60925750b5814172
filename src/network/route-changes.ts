import { boundToThisProcess, followProgram } from "#/std/process/follow-program.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

/** Reports that a route, a link or an address of the machine may have changed. */
export type FollowRoutes = (listener: () => void) => Disposable;

/** Links and addresses, too: the routes that go with them are removed without a report of their own. */
export const routeMonitor = boundToThisProcess("ip", "-o", "monitor", "route", "link", "address");

/** Follows the changes with a program of its own. */
export function routeChangesOf(
  command: readonly string[] = routeMonitor,
  clock: Clock = systemClock,
): FollowRoutes {
  return (listener) => followProgram([command], clock, () => listener());
}
