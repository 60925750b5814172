/**
 * Kills a command of several steps at each of its steps, by number, and then all programs of the cluster; `up`, or the
 * same command, must end it: `node test/faults/steps/run.ts [--only migrate] [--from 3]`. Exits with 1 if anything was lost.
 */
import { parseArgs } from "node:util";
import { runSteps } from "./run-steps.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { only: text, from: text } });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const violations = await runSteps({
  only: values.only ?? "",
  from: Number(values.from ?? 0),
  report: say,
});
for (const violation of violations) say(`VIOLATION ${violation}`);
say(`${violations.length} violations`);
if (violations.length > 0) process.exitCode = 1;
