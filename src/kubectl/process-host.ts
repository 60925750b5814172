import { isatty } from "node:tty";
import { systemClock } from "#/std/clock.ts";
import type { Host, Input, Output, Terminal } from "./context.ts";

let isReading = false;

/** Opened when it is read first, which most commands never do. */
const stdin: Input = {
  get isTerminal() {
    return isatty(0);
  },
  [Symbol.asyncIterator]() {
    isReading = true;
    return process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  },
};

/** The process as kubectl sees it. An interrupt aborts the signal; a second one ends the process as usual. */
export function processHost(): Host & Disposable {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  return {
    out: output(process.stdout),
    err: output(process.stderr),
    stdin,
    terminal: terminal(),
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    signal: stop.signal,
    [Symbol.dispose](): void {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
      // Input that nobody reads any more is no reason to stay.
      if (isReading) process.stdin.unref?.();
    },
  };
}

function terminal(): Terminal | undefined {
  if (!isatty(0)) return undefined;
  const { stdout } = process;
  return {
    setRaw: (raw) => void process.stdin.setRawMode(raw),
    size: () => ({ width: stdout.columns ?? 80, height: stdout.rows ?? 24 }),
    onResize(changed) {
      stdout.on("resize", changed);
      return { [Symbol.dispose]: () => void stdout.off("resize", changed) };
    },
  };
}

function output(stream: NodeJS.WriteStream): Output {
  // Whoever reads our output may stop reading: `kubectl get pods | head -1`.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    write: (chunk) => void stream.write(chunk),
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 0,
  };
}
