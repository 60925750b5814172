import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { exponentialBackoff } from "../time/backoff.ts";
import type { Clock } from "../time/clock.ts";

/** Back-off of restarts of the program. */
const restartMs = exponentialBackoff({ baseMs: 1000, maxMs: 60_000 });

/** A command that ends with this process, however that ends. */
export const boundToThisProcess = (...command: readonly string[]): string[] => [
  "setpriv",
  "--pdeathsig",
  "KILL",
  ...command,
];

/**
 * Reports each line of a program's output, and keeps it running until disposed. An empty line means
 * that reports may have been lost by a restart. If a command ends without output, the next one is
 * tried. Without such a program there are no reports.
 */
export function followProgram(
  commands: readonly (readonly string[])[],
  clock: Clock,
  report: (line: string) => void,
): Disposable {
  const stop = new AbortController();
  let child: ChildProcess | undefined;
  let failures = 0;
  let chosen = 0;
  const start = (): void => {
    if (stop.signal.aborted) return;
    const [program = "", ...args] = commands[chosen % commands.length] ?? [];
    let isSilent = true;
    const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
    const started = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    child = started;
    createInterface({ input: started.stdout }).on("line", (line) => {
      failures = 0;
      isSilent = false;
      report(line);
    });
    started.on("error", () => undefined);
    started.on("exit", () => {
      if (isSilent) chosen++;
      const again = clock.sleep(restartMs(++failures), stop.signal).then(start);
      void again.then(
        () => report(""),
        () => undefined,
      );
    });
  };
  start();
  const end = (): void => {
    stop.abort();
    child?.kill("SIGKILL");
  };
  return { [Symbol.dispose]: end };
}
