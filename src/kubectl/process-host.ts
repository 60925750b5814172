import { isatty } from "node:tty";
import { systemClock } from "#/std/time/clock.ts";
import type { Host, Input, Output, Terminal } from "./base/host.ts";

/** Why a command ends early: interrupted by the user, terminated by another program, or its output was closed. */
type EndSignal = "SIGINT" | "SIGTERM" | "SIGPIPE";

/** A host that is this process. */
export interface ProcessHost extends Host, Disposable {
  /** The reason why the signal was aborted; undefined if it was not. */
  readonly endedBy: EndSignal | undefined;
  /** Resolves when all output is written, or the reader has closed it. */
  flush(): Promise<void>;
}

let isReading = false;

/** Opened at the first read, which most commands never do. */
const stdin: Input = {
  get isTerminal() {
    return isatty(0);
  },
  [Symbol.asyncIterator]() {
    isReading = true;
    return process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  },
};

/** This process. An interrupt aborts the signal; a second one ends the process. */
export function processHost(): ProcessHost {
  const stop = new AbortController();
  let endedBy: EndSignal | undefined;
  const end = (signal: EndSignal): void => {
    endedBy ??= signal;
    stop.abort();
  };
  const interrupt = (): void => end("SIGINT");
  const terminate = (): void => end("SIGTERM");
  // Node's own warnings are not part of a command's output.
  process.removeAllListeners("warning");
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", terminate);
  return {
    // The reader may close our output: `kubectl get pods | head -1`. The command then ends.
    out: output(process.stdout, () => end("SIGPIPE")),
    err: output(process.stderr, () => undefined),
    stdin,
    terminal: terminal(),
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock,
    signal: stop.signal,
    get endedBy() {
      return endedBy;
    },
    flush: () => new Promise((resolve) => void process.stdout.write("", () => resolve())),
    [Symbol.dispose](): void {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", terminate);
      // Input that is no longer read must not keep the process running.
      if (isReading) process.stdin.unref?.();
    },
  };
}

function terminal(): Terminal | undefined {
  if (!isatty(0)) return undefined;
  const { stdout } = process;
  return {
    setRaw(raw) {
      process.stdin.setRawMode(raw);
      if (raw) leaveOutputAlone();
    },
    size: () => ({ width: stdout.columns ?? 80, height: stdout.rows ?? 24 }),
    onResize(changed) {
      stdout.on("resize", changed);
      return { [Symbol.dispose]: () => void stdout.off("resize", changed) };
    },
  };
}

/** Node's raw mode still converts line ends in the output, which is the task of the remote terminal. */
function leaveOutputAlone(): void {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
}

function output(stream: NodeJS.WriteStream, closed: () => void): Output {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closed();
  });
  return {
    write: (chunk) => void stream.write(chunk),
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 0,
  };
}
