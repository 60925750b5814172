import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { FileResult } from "./test/file-result.ts";
import { orderFiles } from "./test/order-files.ts";
import { Progress } from "./test/progress.ts";
import { finalReport, hasFailed, testReport } from "./test/report.ts";
import { runAgain, type Settled } from "./test/run-again.ts";
import { runChecks } from "./test/run-checks.ts";
import { RunFolder } from "./test/run-folder.ts";
import { runTestFile } from "./test/run-test-file.ts";
import { parseTestOptions, type TestOptions, testHelp } from "./test/test-options.ts";
import { ensureTestPrograms } from "./test/test-programs.ts";

const root = join(import.meta.dirname, "..");
/** Limit of concurrent files, on any number of processors: some start whole clusters. */
const maxJobs = 4;

/** `k8ts test`: runs tests, then checks types and lint. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let options: TestOptions;
  try {
    options = parseTestOptions(args);
  } catch (error) {
    process.stderr.write(`k8ts test: ${(error as Error).message}; see k8ts test --help\n`);
    return 2;
  }
  if (options.wantsHelp) {
    process.stdout.write(testHelp);
    return 0;
  }
  if (options.isFresh) return runFresh(options.filters);
  const files = findFiles(options.filters);
  if (files.length === 0) {
    process.stderr.write(`k8ts test: no test file matches ${options.filters.join(" ")}\n`);
    return 1;
  }
  return runAll(files, options);
}

/** Runs the tests, or those of a filter, and a cluster in a Debian that was just built. */
function runFresh(filters: readonly string[]): Promise<number> {
  const env = { ...process.env, FRESH_FILTER: filters.join(" ") };
  const child = spawn(join(root, "test/fresh/fresh.sh"), { stdio: "inherit", env });
  // The script cleans up after itself when it is interrupted.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

async function runAll(files: readonly string[], options: TestOptions): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => stop.abort());
  process.umask(0o022);
  await ensureTestPrograms();
  if (options.seed !== undefined) process.stdout.write(`Order of seed ${options.seed}.\n`);
  const { results, unsteady } = await runFiles(files, options, stop.signal);
  process.stdout.write(testReport(results, unsteady));
  const checks = options.hasChecks ? await runChecks(root, stop.signal) : [];
  process.stdout.write(finalReport(results, checks));
  return stop.signal.aborted || hasFailed(results, checks) ? 1 : 0;
}

async function runFiles(
  files: readonly string[],
  options: TestOptions,
  signal: AbortSignal,
): Promise<Settled> {
  const { seed, name, repeat } = options;
  using runFolder = RunFolder.create();
  const progress = new Progress(files.length * repeat, process.stdout);
  const results: FileResult[] = [];
  // Each round has an order of its own, determined by the seed and the round's number.
  const queue = Array.from({ length: repeat }, (_, round) => {
    const own = seed === undefined ? undefined : seed + round;
    return orderFiles(files, own).map((file) => ({ file, seed: own }));
  }).flat();
  const run = (file: Pick<FileResult, "file" | "seed">): Promise<FileResult> =>
    runTestFile({ file: file.file, seed: file.seed, root, runFolder, name, signal });
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
      const result = await run(next);
      results.push(result);
      progress.add(result);
    }
  };
  const jobs = options.jobs ?? Math.min(maxJobs, Math.max(2, availableParallelism()));
  await Promise.all(Array.from({ length: jobs }, work));
  if (signal.aborted) return { results, unsteady: [] };
  return await runAgain(results, options.again, run);
}

function findFiles(filters: readonly string[]): string[] {
  const files = globSync("{bin,src,test,tools}/**/*.test.ts", { cwd: root });
  if (filters.length === 0) return files;
  return files.filter((file) => filters.some((part) => file.includes(part)));
}
