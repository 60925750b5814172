import { AsyncResource } from "node:async_hooks";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { exponentialBackoff } from "../time/backoff.ts";
import { type Clock, systemClock } from "../time/clock.ts";

/**
 * Reports each removal from the kernel's packet rules as nft writes it, such as `delete table ip
 * filter`; an empty line means that reports may have been lost. Rules of iptables-legacy have no
 * reports.
 */
export type FollowRemovals = (listener: (line: string) => void) => Disposable;

/** The program of the kernel's reports. It ends with this process, however that ends. */
export const monitorCommand = ["setpriv", "--pdeathsig", "KILL", "nft", "monitor", "destroy"];

/** When to start the program again after it has ended. */
const restartMs = exponentialBackoff({ baseMs: 1000, maxMs: 60_000 });

/** Follows removals with one program for all listeners; it runs as long as there is one. */
export function removalsOf(
  command: readonly string[] = monitorCommand,
  clock: Clock = systemClock,
): FollowRemovals {
  const listeners = new Set<(line: string) => void>();
  let running: Disposable | undefined;
  return (listen) => {
    // Log lines of a listener name its own component, whichever has started the program.
    const listener = AsyncResource.bind(listen);
    listeners.add(listener);
    running ??= keepRunning(command, clock, (line) => {
      for (const each of listeners) each(line);
    });
    const stop = (): void => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      running?.[Symbol.dispose]();
      running = undefined;
    };
    return { [Symbol.dispose]: stop };
  };
}

/** The removals of this machine, or of the network namespace that this process is in. */
export const followRemovals: FollowRemovals = removalsOf();

function keepRunning(
  [program = "", ...args]: readonly string[],
  clock: Clock,
  report: (line: string) => void,
): Disposable {
  const stop = new AbortController();
  let child: ChildProcess | undefined;
  let failures = 0;
  const start = (): void => {
    if (stop.signal.aborted) return;
    const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
    const started = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    child = started;
    createInterface({ input: started.stdout }).on("line", (line) => {
      failures = 0;
      // Comments say that the kernel was faster than the program.
      report(line.startsWith("delete ") ? line : "");
    });
    // Without the program there are no reports; callers look for themselves now and then.
    started.on("error", () => undefined);
    started.on("exit", () => {
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
