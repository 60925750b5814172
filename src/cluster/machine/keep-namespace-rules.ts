import { logger } from "#/std/log/log.ts";
import type { FollowRemovals } from "#/std/netfilter/removals.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { NamespaceRules } from "./namespace-rules.ts";

const log = logger("cluster");
/** Least interval (ms) between checks: two programs that undo each other's changes must not use a whole CPU. */
const pauseMs = 1000;
/** Interval (ms) of checks without a report, and on kernels that don't report removals. */
const resyncMs = 300_000;
const unreportedResyncMs = 10_000;
/** Retry delay (ms) after a failure. */
const retryMs = exponentialBackoff({ baseMs: 1000, maxMs: 60_000 });

interface RuleOptions {
  readonly clock: Clock;
  readonly followRemovals: FollowRemovals;
}

/** Restores rules that other programs remove, until the signal aborts. */
export async function keepNamespaceRules(
  rules: NamespaceRules,
  { clock, followRemovals }: RuleOptions,
  signal: AbortSignal,
): Promise<void> {
  let changed = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => changed.resolve());
  using _removals = followRemovals((removal) => {
    if (removal === "" || rules.isConcerned(removal)) changed.resolve();
  });
  const everyMs = (await rules.areReported()) ? resyncMs : unreportedResyncMs;
  let failures = 0;
  while (!signal.aborted) {
    changed = Promise.withResolvers<void>();
    try {
      await rules.ensure();
      failures = 0;
    } catch (error) {
      // A lasting failure is logged less and less often.
      const isLogged = Number.isInteger(Math.log2(++failures));
      if (isLogged) log.error(error, "failed to write packet rules of the machine", { failures });
    }
    await clock.sleep(pauseMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    using _timer = clock.setTimer(failures > 0 ? retryMs(failures) : everyMs, changed.resolve);
    await changed.promise;
  }
}
