/** Upstream: k8s.io/apiserver/pkg/server/signal.go, k8s.io/component-base/cli/run.go. */
import { logger } from "./log.ts";

/** The part of Node's process that is needed, so that a test can stand in for it. */
export interface SignalSource {
  on(event: NodeJS.Signals, listener: () => void): unknown;
  off(event: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): unknown;
}

const shutdownSignals = ["SIGTERM", "SIGINT"] as const;

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
): Promise<number> {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) source.exit(1);
    else controller.abort(new ShutdownRequested("shutdown requested"));
  };
  for (const name of shutdownSignals) source.on(name, stop);
  try {
    await run(controller.signal);
    return 0;
  } catch (error) {
    if (controller.signal.aborted && error === controller.signal.reason) return 0;
    logger("").error(error, "command failed");
    return 1;
  } finally {
    for (const name of shutdownSignals) source.off(name, stop);
  }
}
