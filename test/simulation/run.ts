import { parseArgs } from "node:util";
import { formatFailure } from "./report.ts";
import { simulate } from "./simulate.ts";

/** Runs seeds, one after the other: `--seed N` for one, with its full trace; `--seeds N` for many. */
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "10" },
    first: { type: "string", default: "1" },
    steps: { type: "string" },
    verbose: { type: "boolean", short: "v", default: false },
  },
});
const first = Number(values.seed ?? values.first);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const steps = values.steps === undefined ? {} : { steps: Number(values.steps) };
const onLine = (line: string) => void process.stdout.write(`${line}\n`);
let failed = 0;
for (let seed = first; seed < first + count; seed++) {
  const outcome = await simulate({ seed, ...steps, ...(values.verbose ? { onLine } : {}) });
  const minutes = (outcome.simulatedMs / 60_000).toFixed(0);
  const line = `seed ${seed}: ${outcome.failure ? "FAILED" : "ok"}, ${outcome.events} events, ${minutes} simulated minutes, digest ${outcome.digest.slice(0, 12)}`;
  process.stdout.write(`${line}\n`);
  if (!outcome.failure) continue;
  failed++;
  process.stdout.write(formatFailure(outcome));
}
process.stdout.write(`${count - failed} of ${count} seeds passed\n`);
process.exitCode = failed > 0 ? 1 : 0;
