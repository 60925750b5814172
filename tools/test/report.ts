import type { FileResult } from "./file-result.ts";

/** Outcome of a check that is no test: types, lint. */
export interface CheckResult {
  readonly name: string;
  /** Command that runs it again. */
  readonly command: string;
  readonly isGood: boolean;
  readonly output: string;
}

/** Least duration of a test in the list of the slowest (ms). */
const slowMs = 1000;
/** Number of tests in the list of the slowest. */
const slowestCount = 8;

/** The text after all tests have run; `unsteady` has the first results of files that passed when they ran again. */
export function testReport(
  results: readonly FileResult[],
  unsteady: readonly FileResult[] = [],
): string {
  const failures = (of: readonly FileResult[]) => of.flatMap((result) => failuresOf(result));
  const parts = [
    slowest(results),
    skips(results),
    section("Unsteady, passed when run again alone; find the cause", failures(unsteady)),
    section("Failed", failures(results)),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** The text after the checks have run, too; its last line has the counts of both and nothing else. */
export function finalReport(
  results: readonly FileResult[],
  checks: readonly CheckResult[],
): string {
  const failed = checks
    .filter(({ isGood }) => !isGood)
    .map(({ name, command, output }) => entry(name, output, command));
  return `${section("Failed checks", failed)}\n${counts(results, checks)}\n`;
}

export const hasFailed = (
  results: readonly FileResult[],
  checks: readonly CheckResult[],
): boolean =>
  results.some((result) => result.failures.length > 0) || checks.some((check) => !check.isGood);

function counts(results: readonly FileResult[], checks: readonly CheckResult[]): string {
  const sum = (count: (result: FileResult) => number): number =>
    results.reduce((total, result) => total + count(result), 0);
  const good = checks.filter(({ isGood }) => isGood).length;
  const passed = sum((result) => result.passed) + good;
  const failed = sum((result) => result.failures.length) + checks.length - good;
  return `${passed} passed, ${failed} failed, ${sum((result) => result.skipped.length)} skipped`;
}

function slowest(results: readonly FileResult[]): string {
  const all = results.flatMap(({ file, durations }) =>
    durations.map(({ name, ms }) => ({ text: `${file}: ${name}`, ms })),
  );
  const first = all
    .filter(({ ms }) => ms >= slowMs)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, slowestCount);
  if (first.length === 0) return "";
  const lines = first.map(({ text, ms }) => `  ${seconds(ms).padStart(7)}  ${text}\n`);
  return `\nSlowest:\n${lines.join("")}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function skips(results: readonly FileResult[]): string {
  const lines = results.flatMap(({ file, skipped }) =>
    skipped.map(({ name, reason }) => `  ${file}: ${name}: ${reason || "no reason given"}\n`),
  );
  return lines.length === 0 ? "" : `Skipped:\n${[...new Set(lines)].sort().join("")}`;
}

function failuresOf({ file, seed, failures, output }: FileResult): string[] {
  const texts = failures.map(({ names, line, error }) => {
    const title = names.length === 0 ? file : `${file}:${line} ${names.join(" > ")}`;
    return entry(title, error, rerunCommand(file, names[0], seed));
  });
  if (texts.length > 0 && output !== "")
    texts.push(`  What ${file} wrote, the end of it:\n${indent(output, "    ")}\n`);
  return texts;
}

const entry = (title: string, text: string, command: string): string =>
  `  ${title}\n${indent(text, "    ")}\n    run again: ${command}\n`;

const section = (title: string, entries: readonly string[]): string =>
  entries.length === 0 ? "" : `${title}:\n${entries.join("\n")}`;

/** The command line that runs a file again, or of it only the outermost test of a name. */
export function rerunCommand(file: string, name?: string, seed?: number): string {
  const words = ["./k8ts test", file];
  if (seed !== undefined) words.push(`--shuffle ${seed}`);
  if (name !== undefined) {
    const pattern = `^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}`;
    words.push(`--name '${pattern.replaceAll("'", "'\\''")}'`);
  }
  return words.join(" ");
}

const indent = (text: string, by: string): string => text.trimEnd().replace(/^(?=.)/gm, by);
