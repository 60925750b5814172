import { isatty } from "node:tty";
import { systemClock } from "#/std/time/clock.ts";
import type { Host, Input, Output, Terminal } from "./base/host.ts";

/** What ends a command early: the user, another program, or the end of who reads its output. */
type EndSignal = "SIGINT" | "SIGTERM" | "SIGPIPE";

/** A host that is this process. */
export interface ProcessHost extends Host, Disposable {
  /** What has aborted the signal; undefined if nothing has. */
  readonly endedBy: EndSignal | undefined;
  /** Resolves when all output is written, or nobody wants it. */
  flush(): Promise<void>;
}

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
export function processHost(): ProcessHost {
  const stop = new AbortController();
  let endedBy: EndSignal | undefined;
  const end = (signal: EndSignal): void => {
    endedBy ??= signal;
    stop.abort();
  };
  const interrupt = (): void => end("SIGINT");
  const terminate = (): void => end("SIGTERM");
  // What Node warns of is of no use to who runs a command, and not part of its output.
  process.removeAllListeners("warning");
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", terminate);
  return {
    // Who reads our output may stop reading: `kubectl get pods | head -1`. There is nothing left to do then.
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
      // Input that nobody reads any more is no reason to stay.
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

/** Node's raw mode still begins lines for who ends one, which is for the terminal at the other end to do. */
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
