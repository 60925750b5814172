import { parentPort, workerData } from "node:worker_threads";

/** Runs a component in this thread, as runThread() has started it, until its process sends "stop". */
export async function serveThread(
  run: (args: readonly string[], signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  parentPort?.on("message", (message: unknown) => {
    if (message === "stop") stop.abort();
    else parentPort?.postMessage("here");
  });
  try {
    await run(workerData as readonly string[], stop.signal);
  } finally {
    parentPort?.close();
  }
}
