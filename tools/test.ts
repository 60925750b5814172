import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { ensureTestPrograms } from "./test-programs.ts";

const root = join(import.meta.dirname, "..");

/**
 * `k8ts test [FILTER...]`: types, lint and format, then every test whose path contains one of the filters. Without a
 * filter, everything. Stops at the first step that fails.
 */
export async function main(filters: readonly string[]): Promise<number> {
  const files = testFiles(filters);
  if (files.length === 0) {
    process.stderr.write(`k8ts test: no test file matches ${filters.join(" ")}\n`);
    return 1;
  }
  await ensureTestPrograms();
  const node = [
    "--test",
    "--test-concurrency=2",
    "--test-reporter=dot",
    "--test-reporter-destination=stdout",
  ];
  const summary = [
    "--test-reporter=./tools/summary-reporter.ts",
    "--test-reporter-destination=stdout",
  ];
  const steps: readonly [string, readonly string[]][] = [
    [join(root, "node_modules/.bin/tsc"), ["--noEmit"]],
    [join(root, "node_modules/.bin/biome"), ["check", "--error-on-warnings"]],
    [process.execPath, [...node, ...summary, ...files]],
  ];
  for (const [program, args] of steps) {
    const code = await runStep(program, args);
    if (code !== 0) return code;
  }
  return 0;
}

function testFiles(filters: readonly string[]): string[] {
  const files = globSync("{bin,src,test,tools}/**/*.test.ts", { cwd: root }).sort();
  return filters.length === 0
    ? files
    : files.filter((file) => filters.some((part) => file.includes(part)));
}

function runStep(program: string, args: readonly string[]): Promise<number> {
  // The project's own Node first in PATH: tsc and biome are Node scripts, and an older Node may be the machine's.
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, PATH },
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(signal ? 1 : (code ?? 1)));
  });
}
