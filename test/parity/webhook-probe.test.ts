import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { startAdmissionTarget } from "./admission-server.ts";
import { type Outcome, probes, runProbes } from "./webhook-probe.ts";

const file = join(import.meta.dirname, "recorded/webhook-probe.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Outcome[];

let outcomes: readonly Outcome[] = [];
before(async () => {
  await using target = await startAdmissionTarget();
  outcomes = await runProbes(target);
});

test("every webhook probe has a recorded answer of the real server", () => {
  assert.deepEqual(
    recorded.map(({ name }) => name),
    probes.map(({ name }) => name),
  );
});

/** OpenSSL does not show what a server sent instead of TLS: it is assumed to be HTTP, which is nearly always right. */
const takenForHttp = new Set(["no-tls"]);

for (const { name } of probes) {
  test(`the webhook ${name} is called, and its response handled, as upstream does`, () => {
    const expected = recorded.find((one) => one.name === name);
    const actual = outcomes.find((one) => one.name === name);
    if (takenForHttp.has(name)) {
      assert.match(actual?.message ?? "", /: http: server gave HTTP response to HTTPS client$/);
    } else assert.deepEqual(actual, expected);
  });
}
