import { AsyncResource } from "node:async_hooks";
import { boundToThisProcess, followProgram } from "../process/follow-program.ts";
import { type Clock, systemClock } from "../time/clock.ts";

/**
 * Reports each removal of the kernel's packet rules as nft prints it, such as `delete table ip
 * filter`; an empty line means that reports may have been lost. Rules of iptables-legacy have no
 * reports.
 */
export type FollowRemovals = (listener: (line: string) => void) => Disposable;

/**
 * The commands that print the kernel's reports. Some releases of nft, such as 1.1.3, can't report
 * removals alone.
 */
export const monitorCommands = [
  boundToThisProcess("nft", "monitor", "destroy"),
  boundToThisProcess("nft", "monitor"),
];

/** Follows removals with one program for all listeners; it runs while there is any. */
export function removalsOf(
  commands: readonly (readonly string[])[] = monitorCommands,
  clock: Clock = systemClock,
): FollowRemovals {
  const listeners = new Set<(line: string) => void>();
  let running: Disposable | undefined;
  return (listen) => {
    // Log lines of a listener name its own component, whichever has started the program.
    const listener = AsyncResource.bind(listen);
    listeners.add(listener);
    running ??= followProgram(commands, clock, (line) => {
      const isLost = line === "" || line.startsWith("# ERROR");
      if (!isLost && !line.startsWith("delete ")) return;
      for (const each of listeners) each(isLost ? "" : line);
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

/** The removals of this machine, or of the network namespace of this process. */
export const followRemovals: FollowRemovals = removalsOf();
