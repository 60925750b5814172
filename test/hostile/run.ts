/**
 * Checks parsers by hand: `node test/hostile/run.ts [--seconds N] [--seed N] [--parser NAME] [--input N]`.
 * Without --seconds it runs once; with it, with one seed after another. With --input it runs that input alone.
 */
import { parseArgs } from "node:util";
import { systemRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import { checkInput, inputOf } from "#/testing/hostile/hostile-parser.ts";
import { parsers } from "./parsers/index.ts";
import { runChecks } from "./run-checks.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { seconds: text, seed: text, parser: text, input: text } });
const only = values.parser;
let seed = values.seed === undefined ? Math.floor(systemRandom() * 2 ** 31) : Number(values.seed);

if (values.input !== undefined) {
  const parser = parsers.find(({ name }) => name === only);
  if (!parser) throw new Error(`--parser is one of ${parsers.map(({ name }) => name).join(", ")}`);
  const input = inputOf(parser, seed, Number(values.input));
  process.stdout.write(`${input.length} bytes: ${JSON.stringify(input.toString("latin1"))}\n`);
  await checkInput(parser, input);
} else {
  const untilMs = systemClock.now() + Number(values.seconds ?? 0) * 1000;
  do {
    process.stdout.write(`seed ${seed}\n`);
    for await (const { name, problems, cpuMs } of runChecks(
      seed,
      only === undefined ? {} : { only },
    )) {
      if (values.seconds === undefined) process.stdout.write(`${name} ${cpuMs} ms\n`);
      for (const problem of problems) process.stdout.write(`${problem}\n\n`);
      if (problems.length > 0) process.exitCode = 1;
    }
    seed++;
  } while (systemClock.now() < untilMs);
}
