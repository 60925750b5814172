/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/signal.go,
 * staging/src/k8s.io/component-base/cli/run.go.
 */

import { openFailure } from "../files/file-errors.ts";
import { logger } from "../log/log.ts";
import { type Clock, systemClock } from "../time/clock.ts";

/** The part of Node's process that is needed, so that a test can stand in for it. */
export interface SignalSource {
  on(event: NodeJS.Signals | "beforeExit", listener: () => void): unknown;
  off(event: NodeJS.Signals | "beforeExit", listener: () => void): unknown;
  exit(code: number): unknown;
}

const shutdownSignals = ["SIGTERM", "SIGINT"] as const;
/** How long a connection or a timer that somebody forgot may hold up the end of the process. */
const forgottenMs = 2_000;

/** Why the signal of runUntilSignal() aborts. */
export class ShutdownRequested extends Error {
  override readonly name = "ShutdownRequested";
}

/**
 * Runs a component until it ends, and asks it to end when the process gets SIGTERM or SIGINT. A
 * second of these ends the process at once. Returns the exit code: 0 if the component ended well
 * or because it was asked to, else 1 with its error in the log. A component that waits for something
 * that cannot happen any more, as no handle is left, ends the process with 1 too: Node would end it
 * with 13, and without a word.
 */
export async function runUntilSignal(
  run: (signal: AbortSignal) => Promise<void>,
  source: SignalSource = process,
  clock: Clock = systemClock,
): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => {
    if (signal.aborted) source.exit(1);
    else controller.abort(new ShutdownRequested("shutdown requested"));
  };
  const starved = endWhenStarved(source, clock);
  for (const name of shutdownSignals) source.on(name, stop);
  source.on("beforeExit", starved);
  const code = await exitCodeOf(run, signal);
  for (const name of shutdownSignals) source.off(name, stop);
  source.off("beforeExit", starved);
  if (signal.aborted) clock.setTimer(forgottenMs, () => source.exit(code), { keepAlive: false });
  return code;
}

/** Called each time that the event loop is empty: timers that keep no process alive get their time first. */
function endWhenStarved(source: SignalSource, clock: Clock): () => void {
  let isSecond = false;
  return () => {
    if (isSecond) {
      const error = new Error("the component waits for something that cannot happen any more");
      logger("").error(error, "command failed");
      source.exit(1);
    }
    isSecond = true;
    clock.setTimer(forgottenMs, () => undefined);
  };
}

async function exitCodeOf(
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  try {
    await run(signal);
    return 0;
  } catch (error) {
    if (signal.aborted && error === signal.reason) return 0;
    logger("").error(inGoWords(error), "command failed");
    return 1;
  }
}

/** A file that could not be opened, as upstream's programs say it. */
function inGoWords(error: unknown): unknown {
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== "open" || path === undefined) return error;
  return new Error(openFailure(path, error));
}
