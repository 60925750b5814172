import { crashCause, restartsText } from "../../facts/crash.ts";

/** Exit codes of a process that a signal has ended: 128 and the number of the signal. */
const signals: ReadonlyMap<number, string> = new Map([
  [132, "an illegal instruction (SIGILL): the program may be for another processor"],
  [134, "an abort of the program itself (SIGABRT)"],
  [135, "a bus error (SIGBUS)"],
  [136, "an arithmetic error (SIGFPE)"],
  [137, "SIGKILL"],
  [139, "a segmentation fault (SIGSEGV)"],
  [143, "SIGTERM"],
]);

export const containerKilled = crashCause({
  name: "container-killed",
  applies: ({ exitCode }) => signals.has(exitCode),
  explain: (crash) => ({
    sentence: `${crash.container.label} is ended by ${signals.get(crash.exitCode)}: exit code ${crash.exitCode}${restartsText(crash)}`,
  }),
});
