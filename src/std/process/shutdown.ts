/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/signal.go,
 * staging/src/k8s.io/component-base/cli/run.go.
 */

import { asError } from "../base/as-error.ts";
import { openFailure } from "../files/file-errors.ts";
import { logger } from "../log/log.ts";
import { returnMemoryWhenIdle } from "../memory/return-memory.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { reportLongTurns } from "./report-long-turns.ts";

/** The used part of Node's process, replaceable in tests. */
export interface SignalSource {
  on(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  off(event: ProcessEvent, listener: (reason: unknown) => void): unknown;
  exit(code: number): unknown;
}

type ProcessEvent = NodeJS.Signals | "beforeExit" | "unhandledRejection" | "uncaughtException";

const shutdownSignals = ["SIGTERM", "SIGINT"] as const;
/** Limit of the time (ms) in which an open connection or timer may delay the end of the process. */
const openHandlesMs = 2_000;

/** The reason of the abort in runUntilSignal(). */
class ShutdownRequested extends Error {
  override readonly name = "ShutdownRequested";
}

/**
 * Runs a component until it ends, and aborts it when the process gets SIGTERM or SIGINT. A second
 * signal ends the process at once. Returns the exit code: 0 if the component succeeded or was
 * aborted, else 1 with its error in the log. A component that waits although no handle is left also
 * ends the process with 1: Node would end it with 13, without a message.
 */
export async function runUntilSignal(
  run: (signal: AbortSignal) => Promise<void>,
  source: SignalSource = process,
  clock: Clock = systemClock,
): Promise<number> {
  using _turns = reportLongTurns();
  using _memory = returnMemoryWhenIdle(clock);
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => {
    if (signal.aborted) source.exit(1);
    else controller.abort(new ShutdownRequested("shutdown requested"));
  };
  const starved = endWhenStarved(source, clock);
  for (const name of shutdownSignals) source.on(name, stop);
  source.on("beforeExit", starved);
  const failures = stray(source);
  for (const [name, listener] of failures) source.on(name, listener);
  const code = await exitCodeOf(run, signal);
  for (const name of shutdownSignals) source.off(name, stop);
  source.off("beforeExit", starved);
  for (const [name, listener] of failures) source.off(name, listener);
  if (signal.aborted) clock.setTimer(openHandlesMs, () => source.exit(code), { keepAlive: false });
  return code;
}

/**
 * Errors that no caller waited for. A rejection leaves one task unfinished, such as a request that has failed already:
 * it is logged, and the process goes on serving the others. An exception has left some code halfway, with its state
 * unknown: it is logged, and the process ends, to be started again by its supervisor.
 */
function stray(source: SignalSource): [ProcessEvent, (reason: unknown) => void][] {
  const log = logger("");
  return [
    ["unhandledRejection", (reason) => log.error(asError(reason), "unhandled rejection")],
    [
      "uncaughtException",
      (reason) => {
        log.error(asError(reason), "uncaught exception");
        source.exit(1);
      },
    ],
  ];
}

/**
 * Called each time that the event loop is empty: timers that don't keep the process alive run
 * first.
 */
function endWhenStarved(source: SignalSource, clock: Clock): () => void {
  let isSecond = false;
  return () => {
    if (isSecond) {
      const error = new Error("the component waits for something that cannot happen any more");
      logger("").error(error, "command failed");
      source.exit(1);
    }
    isSecond = true;
    clock.setTimer(openHandlesMs, () => undefined);
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
    logger("").error(withGoMessage(error), "command failed");
    return 1;
  }
}

/** An error of opening a file, with upstream's message. */
function withGoMessage(error: unknown): unknown {
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== "open" || path === undefined) return error;
  return new Error(openFailure(path, error));
}
