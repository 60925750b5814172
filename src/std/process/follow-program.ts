import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { exponentialBackoff } from "../time/backoff.ts";
import type { Clock } from "../time/clock.ts";

/** When to start the program again after it has ended. */
const restartMs = exponentialBackoff({ baseMs: 1000, maxMs: 60_000 });

/** The command that ends with this process, however that ends. */
export const boundToThisProcess = (...command: readonly string[]): string[] => [
  "setpriv",
  "--pdeathsig",
  "KILL",
  ...command,
];

/**
 * Reports each line that a program writes, and keeps it running until disposed. An empty line means that reports may have
 * been lost, as it was started again. Of several commands the next is tried when one ends without a word. Where there is no
 * such program there are no reports.
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
