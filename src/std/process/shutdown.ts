/** Upstream: k8s.io/apiserver/pkg/server/signal.go, k8s.io/component-base/cli/run.go. */

import { logger } from "../log/log.ts";
import { type Clock, systemClock } from "../time/clock.ts";

/** The part of Node's process that is needed, so that a test can stand in for it. */
export interface SignalSource {
  on(event: NodeJS.Signals, listener: () => void): unknown;
  off(event: NodeJS.Signals, listener: () => void): unknown;
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
 * or because it was asked to, else 1 with its error in the log.
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
  for (const name of shutdownSignals) source.on(name, stop);
  const code = await exitCodeOf(run, signal);
  for (const name of shutdownSignals) source.off(name, stop);
  if (signal.aborted) clock.setTimer(forgottenMs, () => source.exit(code), { keepAlive: false });
  return code;
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
    logger("").error(error, "command failed");
    return 1;
  }
}
