import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { startAdmissionTarget } from "./admission-server.ts";
import { type Outcome, runScenarios, scenarios } from "./conversion-managers.ts";

const file = join(import.meta.dirname, "recorded/conversion-managers.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Outcome[];

let outcomes: readonly Outcome[] = [];
before(async () => {
  await using target = await startAdmissionTarget();
  outcomes = await runScenarios(target);
});

test("every scenario of converted managers has a recorded answer of the real server", () => {
  assert.deepEqual(
    recorded.map(({ name, answers }) => [name, answers.length]),
    scenarios.map(({ name, steps, afterwards }) => [
      name,
      steps.length + (afterwards?.steps.length ?? 0),
    ]),
  );
});

for (const { name } of scenarios) {
  test(`managers of converted versions: ${name}`, () => {
    const expected = recorded.find((one) => one.name === name);
    const actual = outcomes.find((one) => one.name === name);
    for (const [index, answer] of (expected?.answers ?? []).entries()) {
      assert.deepEqual(actual?.answers[index], answer, `step ${index + 1}`);
    }
  });
}
