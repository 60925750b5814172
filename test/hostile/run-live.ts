/**
 * Sends changed bodies to a live server by hand: `node test/hostile/run-live.ts [--seconds N] [--seed N] [--input N]`.
 * Without --seconds it sends a thousand; with --input that one alone.
 */
import { parseArgs } from "node:util";
import { systemRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import { checkLive, send, startTarget } from "./live/check-live.ts";
import { liveInput } from "./live/live-input.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { seconds: text, seed: text, input: text } });
let seed = values.seed === undefined ? Math.floor(systemRandom() * 2 ** 20) : Number(values.seed);
const untilMs = systemClock.now() + Number(values.seconds ?? 0) * 1000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

await using server = await startTarget();
if (values.input !== undefined) {
  const input = liveInput(seed, Number(values.input));
  say(`${input.method} ${input.path} ${input.type}\n${input.body.toString("latin1")}`);
  const { status, text: body } = await send(server, input);
  say(`${status} ${body}`);
} else {
  do {
    const { problems, statuses } = await checkLive(server, seed, { from: 0, to: 1000 });
    say(
      `seed ${seed}: ${[...statuses].map(([status, count]) => `${count} x ${status}`).join(", ")}`,
    );
    for (const problem of problems) say(problem);
    if (problems.length > 0) process.exitCode = 1;
    seed++;
  } while (systemClock.now() < untilMs);
}
