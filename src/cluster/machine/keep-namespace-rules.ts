import { logger } from "#/std/log/log.ts";
import { type FollowRemovals, monitorCommands, removalsOf } from "#/std/netfilter/removals.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { NamespaceRules } from "./namespace-rules.ts";
import { namespaceFile, planNamespace } from "./network-namespace.ts";

const log = logger("cluster");
/** Least interval (ms) between checks: two programs that undo each other's changes must not use a whole CPU. */
const pauseMs = 1000;
/** Interval (ms) of checks without a report, and on kernels that don't report removals. */
const resyncMs = 300_000;
const unreportedResyncMs = 10_000;
/** Retry delay (ms) after a failure. */
const retryMs = exponentialBackoff({ baseMs: 1000, maxMs: 60_000 });

interface RuleSurroundings {
  readonly clock: Clock;
  readonly followRemovals: FollowRemovals;
}

/** Keeps the packet rules of a cluster's namespace in the machine's network, which the agent is not in. */
export async function keepNamespace({ name }: ClusterSettings, signal: AbortSignal): Promise<void> {
  const plan = planNamespace(name);
  const enter = ["nsenter", `--net=${namespaceFile(plan.machine)}`];
  const [program = "", ...first] = enter;
  const run: RunProgram = (inside, args, input) =>
    runProgram(program, [...first, inside, ...args], input);
  const followRemovals = removalsOf(monitorCommands.map((command) => [...enter, ...command]));
  const rules = new NamespaceRules(plan, run, log);
  await keepNamespaceRules(rules, { clock: systemClock, followRemovals }, signal);
}

/** Restores rules that other programs remove, until the signal aborts. */
export async function keepNamespaceRules(
  rules: NamespaceRules,
  { clock, followRemovals }: RuleSurroundings,
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
