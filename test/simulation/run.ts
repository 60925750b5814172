import { parseArgs } from "node:util";
import { formatFailure } from "./report.ts";
import { simulate } from "./simulate.ts";
import { simulateDays } from "./week.ts";

/**
 * Runs seeds, one after the other: `--seed N` for one, with its full trace; `--seeds N` for many. With `--days N` one
 * seed runs for days.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "10" },
    first: { type: "string", default: "1" },
    steps: { type: "string" },
    days: { type: "string" },
    hours: { type: "string", default: "20" },
    troubles: { type: "boolean", default: false },
    verbose: { type: "boolean", short: "v", default: false },
  },
});
const first = Number(values.seed ?? values.first);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const steps = values.steps === undefined ? {} : { steps: Number(values.steps) };
const onLine = (line: string) => void process.stdout.write(`${line}\n`);
process.exitCode =
  values.days === undefined ? await runSeeds() : await runDays(Number(values.days));

async function runDays(days: number): Promise<number> {
  const { troubles, verbose } = values;
  const hours = Number(values.hours);
  const lines = verbose ? { onLine } : {};
  const options = { seed: first, troubles, days, hours, onDay: onLine, ...lines };
  const failure = await simulateDays(options);
  onLine(failure ?? `${days} days of seed ${first} passed`);
  return failure === undefined ? 0 : 1;
}

async function runSeeds(): Promise<number> {
  let failed = 0;
  for (let seed = first; seed < first + count; seed++) {
    const { troubles } = values;
    const outcome = await simulate({
      seed,
      troubles,
      ...steps,
      ...(values.verbose ? { onLine } : {}),
    });
    const minutes = (outcome.simulatedMs / 60_000).toFixed(0);
    const line = `seed ${seed}: ${outcome.failure ? "FAILED" : "ok"}, ${outcome.events} events, ${minutes} simulated minutes, digest ${outcome.digest.slice(0, 12)}`;
    process.stdout.write(`${line}\n`);
    if (!outcome.failure) continue;
    failed++;
    process.stdout.write(formatFailure(outcome));
  }
  process.stdout.write(`${count - failed} of ${count} seeds passed\n`);
  return failed > 0 ? 1 : 0;
}
