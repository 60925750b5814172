import { AsyncLocalStorage } from "node:async_hooks";
import { asError } from "#/std/base/as-error.ts";
import { logger } from "#/std/log/log.ts";
import { logAs } from "#/std/log/log-as.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

/** A component in a process that runs several: started with its public flags, until the signal aborts. */
export interface Component {
  readonly name: string;
  /** Whether it is started again when it fails, while the others go on; otherwise all end. */
  readonly restarts?: boolean;
  run(signal: AbortSignal): Promise<void>;
}

/** The used part of Node's process, replaceable in tests. */
interface ErrorSource {
  on(event: typeof uncaught, listener: Listener): unknown;
  off(event: typeof uncaught, listener: Listener): unknown;
  listeners(event: typeof uncaught): Listener[];
}

type Listener = (error: Error) => void;
const uncaught = "uncaughtException";

/** A failure of a component that is started again. */
interface Failing {
  readonly part: string;
  /** Failures in a row (count). */
  readonly failures: number;
  readonly error: string;
}

interface RunOptions {
  readonly clock?: Clock;
  readonly source?: ErrorSource;
  /** Called for each failure of a component that is started again. */
  readonly onFailure?: (failing: Failing) => void;
}

const log = logger("cluster");
/** Time (ms) after which a component has started: its next failure is the first in a row. */
const startMs = 10_000;
/** Limit of the time (ms) in which a failed component releases what it holds, such as its ports. */
const endMs = 20_000;
const restartMs = exponentialBackoff({ baseMs: 500, maxMs: 30_000 });

/** Reports an error that was thrown in a callback of a component, and that nothing caught. */
const currentFailure = new AsyncLocalStorage<(error: Error) => void>();

/**
 * Runs components together. One that fails, also by an error that nothing catches, is started again if it may be. If any
 * other ends before the signal aborts, all are stopped, and its error is thrown.
 */
export async function runComponents(
  components: readonly Component[],
  signal: AbortSignal,
  { clock = systemClock, source = process, onFailure }: RunOptions = {},
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const failures: Error[] = [];
  const end = (failure: Error): void => {
    failures.push(failure);
    stop.abort(failure);
  };
  using _errors = passErrors(source, end);
  await Promise.all(
    components.map(async (component) => {
      try {
        await keepRunning(component, both, clock, onFailure);
      } catch (error) {
        if (both.aborted && error === both.reason) return;
        const { name } = component;
        log.error(error, "component ended", { component: name });
        end(new Error(`${name}: ${(error as Error).message}`, { cause: error }));
      }
    }),
  );
  if (failures[0]) throw failures[0];
}

/**
 * Passes uncaught exceptions to the component that they belong to; others end all. The listeners of the process, which
 * end it at once, are set aside. A rejection that no caller waited for fails no component: see runUntilSignal().
 */
function passErrors(source: ErrorSource, end: (error: Error) => void): Disposable {
  const pass = (thrown: unknown): void => {
    const error = asError(thrown);
    const fail = currentFailure.getStore();
    log.error(error, "caught an unhandled error");
    (fail ?? end)(error);
  };
  const setAside = source.listeners(uncaught);
  for (const listener of setAside) source.off(uncaught, listener);
  source.on(uncaught, pass);
  return {
    [Symbol.dispose]() {
      source.off(uncaught, pass);
      for (const listener of setAside) source.on(uncaught, listener);
    },
  };
}

async function keepRunning(
  component: Component,
  signal: AbortSignal,
  clock: Clock,
  onFailure: RunOptions["onFailure"],
): Promise<void> {
  const { name, restarts = false } = component;
  for (let failures = 0; ; ) {
    const beganMs = clock.monotonicMs();
    try {
      await runOnce(component, signal, clock);
      if (signal.aborted) return;
      throw new Error("it ended by itself");
    } catch (error) {
      const hasStarted = clock.monotonicMs() - beganMs >= startMs;
      if (signal.aborted || !restarts) throw error;
      if (error instanceof StuckComponentError) throw error;
      failures = hasStarted ? 1 : failures + 1;
      const delayMs = restartMs(failures);
      log.error(error, "component failed; it is started again", { component: name, delayMs });
      onFailure?.({ part: name, failures, error: asError(error).message });
      await clock.sleep(delayMs, signal);
    }
  }
}

/** A component that failed and does not end: another one beside it would conflict. */
class StuckComponentError extends Error {
  override readonly name = "StuckComponentError";
}

async function runOnce({ name, run }: Component, signal: AbortSignal, clock: Clock): Promise<void> {
  const own = new AbortController();
  const failed = Promise.withResolvers<never>();
  const fail = (error: Error): void => {
    failed.reject(error);
    own.abort(error);
  };
  const both = AbortSignal.any([signal, own.signal]);
  const running = currentFailure.run(fail, () => logAs(name, () => run(both)));
  try {
    await Promise.race([running, failed.promise]);
  } catch (error) {
    if (own.signal.aborted) await ended(running, clock, error);
    throw error;
  }
}

async function ended(running: Promise<void>, clock: Clock, cause: unknown): Promise<void> {
  const enough = new AbortController();
  const stuck = clock.sleep(endMs, enough.signal).then(() => {
    throw new StuckComponentError("it failed, and does not end", { cause });
  });
  try {
    await Promise.race([running.catch(() => undefined), stuck]);
  } finally {
    stuck.catch(() => undefined);
    enough.abort();
  }
}
