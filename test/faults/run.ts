/**
 * Kills the programs of a cluster and fills its disk at seeded moments, under load:
 * `node test/faults/run.ts [--moments 200] [--seed N] [--from INDEX]`. Exits with 1 if an invariant was violated, and
 * prints the command that runs the same moments again.
 */
import { parseArgs } from "node:util";
import { systemRandom } from "#/std/base/random.ts";
import { planMoments } from "./kill/moments.ts";
import { runMoments } from "./kill/run-moments.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { moments: text, seed: text, from: text } });
const seed = values.seed === undefined ? Math.floor(systemRandom() * 2 ** 20) : Number(values.seed);
const count = Number(values.moments ?? 200);
const from = Number(values.from ?? 0);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(`node test/faults/run.ts --moments ${count} --seed ${seed}`);
const moments = planMoments(seed, count).slice(from);
const { violations, acknowledged, events, refusals } = await runMoments({
  seed,
  moments,
  report: say,
});
say(
  `${acknowledged} writes acknowledged, ${events} events watched, ${violations.length} violations`,
);
for (const [refusal, times] of refusals) say(`${times} x ${refusal}`);
for (const violation of violations) say(`VIOLATION ${violation}`);
if (violations.length > 0) process.exitCode = 1;
