/**
 * Kills a command of several steps at each of its steps, by number, and then all programs of the cluster; `up`, or the
 * same command, must end it: `node test/faults/steps/run.ts [--only migrate] [--from 3]`. With --kind change it is killed
 * after each change that it makes, or after each N-th with --every N. Exits with 1 if anything was lost.
 */
import { parseArgs } from "node:util";
import { runSteps } from "./run-steps.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { only: text, kind: text, from: text, every: text } });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const violations = await runSteps({
  only: values.only ?? "",
  kind: values.kind === "change" ? "change" : "step",
  from: Number(values.from ?? 0),
  every: Number(values.every ?? 1),
  report: say,
});
for (const violation of violations) say(`VIOLATION ${violation}`);
say(`${violations.length} violations`);
if (violations.length > 0) process.exitCode = 1;
