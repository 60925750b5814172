import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import type { CheckResult } from "./report.ts";

const checks = [
  { name: "types", words: ["node_modules/.bin/tsc", "--noEmit"] },
  { name: "lint and format", words: ["node_modules/.bin/biome", "check", "--error-on-warnings"] },
];

/** Checks types, then lint and format, of the whole project. */
export async function runChecks(root: string, signal: AbortSignal): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, words } of checks) {
    if (signal.aborted) break;
    results.push({ name, command: words.join(" "), ...(await runProgram(root, words, signal)) });
  }
  return results;
}

function runProgram(
  root: string,
  [program = "", ...args]: readonly string[],
  signal: AbortSignal,
): Promise<{ isGood: boolean; output: string }> {
  // The project's own Node first: both are Node scripts, and the machine's Node may be older, or none.
  const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const env = { PATH, HOME: process.env["HOME"], LANG: "C.UTF-8", NO_COLOR: "1" };
  const options = { cwd: root, env, signal, maxBuffer: 1 << 26 };
  return new Promise((resolve) => {
    execFile(join(root, program), args, options, (error, stdout, stderr) => {
      const text = `${stdout}${stderr}`;
      resolve({ isGood: error === null, output: text || (error?.message ?? "") });
    });
  });
}
