import { blankLiterals } from "./blank-literals.ts";
import { type Finding, isTest, lineAt, type SourceFile } from "./source-file.ts";

/** A wait in real time: by systemClock, or by node:timers/promises under its usual name. A FakeClock may sleep. */
const sleep = /(?:\bsystemClock\.|(?<![.\w]))sleep\(/g;
/** The wait for a condition, and the tests of the clock itself. */
const homes = new Set([
  "src/testing/until.ts",
  "src/testing/fake-clock.ts",
  "src/std/time/clock.test.ts",
]);
const comment = /^\s*(\/\/|\*\/|\/\*\*? .*\*\/$)/;

const message =
  "a fixed wait is too short on one machine and too long on the others: wait for a condition with until()" +
  " (#/testing/until.ts), use a FakeClock, or write the reason in a comment directly above";

/** Fixed waits in tests, except those with a reason in the line above. */
export function checkSleeps(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ path }) => isTest(path) && !homes.has(path)).flatMap(findingsIn);
}

function findingsIn({ path, text }: SourceFile): Finding[] {
  const lines = text.split("\n");
  return [...blankLiterals(text).matchAll(sleep)]
    .map(({ index }) => lineAt(text, index))
    .filter((line) => !comment.test(lines[line - 2] ?? ""))
    .map((line) => ({ path, line, message }));
}
