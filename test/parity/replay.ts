/**
 * Sends the cases to a server again and prints where its answers differ from the recorded ones:
 * `node test/parity/replay.ts [AREA...]`. By default the server is the real one, which tests the recordings.
 */
import { isDeepStrictEqual } from "node:util";
import type { Answer, Area } from "./case.ts";
import { areas } from "./cases/index.ts";
import { loadRecordings } from "./recordings.ts";
import { startReference, type Target } from "./reference.ts";
import { prepareArea, replayCase } from "./run-case.ts";

/** An answer that is not the recorded one. */
export interface Difference {
  readonly test: string;
  /** From 0. */
  readonly step: number;
  readonly recorded: Answer | undefined;
  readonly answered: Answer | undefined;
}

/** Runs the cases of an area against a server; its fixtures are made first. */
export async function replayArea(target: Target, area: Area): Promise<Difference[]> {
  await prepareArea(target, area);
  const differences: Difference[] = [];
  for (const [index, recording] of loadRecordings(area).entries()) {
    const test = area.cases[index];
    if (!test) continue;
    const { name, steps } = recording;
    const answers = await replayCase(target, test, recording);
    for (const [step, { answer: recorded }] of steps.entries()) {
      const answered = answers[step];
      if (!isDeepStrictEqual(answered, recorded)) {
        differences.push({ test: name, step, recorded, answered });
      }
    }
  }
  return differences;
}

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  await using target = await startReference();
  for (const area of areas) {
    if (wanted.length > 0 && !wanted.includes(area.name)) continue;
    for (const difference of await replayArea(target, area)) {
      process.stdout.write(`${area.name}: ${JSON.stringify(difference)}\n`);
    }
    process.stdout.write(`${area.name}: ${area.cases.length} cases\n`);
  }
}
