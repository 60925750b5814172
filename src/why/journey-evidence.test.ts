import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diagnosis } from "./base/finding.ts";
import { withJourney } from "./journey-evidence.ts";
import type { Answer } from "./read/snapshot.ts";

const about = {
  ...{ group: "", version: "v1", kind: "Pod", resource: "pods", namespace: "a", name: "p" },
};
const stuck: Diagnosis = {
  ...{ subject: about, state: "stuck", layer: "image", sentence: "pod/p is stuck." },
  findings: [
    {
      ...{ cause: "image-not-found", layer: "image", certainty: "proven", about },
      ...{ severity: "stuck", sentence: "no such image", evidence: ["an event"], fix: [] },
    },
  ],
  context: [],
  unread: [],
};
const path = "/apis/journey.k8ts.dev/v1/namespaces/a/journeys/p?resource=pods";
const step = {
  ...{ of: about, layer: "node", name: "pull image", outcome: "failed", reason: "ErrImagePull" },
  ...{ from: "2026-01-01T00:00:00.000000Z", to: "2026-01-01T00:00:01.000000Z" },
};

for (const { name, diagnosis, answer, expected } of [
  {
    name: "adds where and since when an object is held up",
    diagnosis: stuck,
    answer: { state: "found", value: { steps: [step] } },
    expected: [
      "an event",
      "journey: at node since 2026-01-01T00:00:00.000000Z: pull image has failed: ErrImagePull",
    ],
  },
  {
    name: "adds nothing from a server without journeys",
    diagnosis: stuck,
    answer: { state: "absent", message: "" },
    expected: ["an event"],
  },
  {
    name: "adds nothing of an answer that is no journey",
    diagnosis: stuck,
    answer: { state: "found", value: {} },
    expected: ["an event"],
  },
] as const) {
  test(`withJourney() ${name}`, async () => {
    const asked: string[] = [];
    const found = await withJourney(diagnosis, async (one) => {
      asked.push(one);
      return answer as Answer;
    });
    assert.deepEqual(found.findings[0]?.evidence, expected);
    assert.deepEqual(asked, [path]);
  });
}

test("withJourney() does not ask about what is healthy", async () => {
  const healthy: Diagnosis = { ...stuck, state: "healthy", findings: [] };
  assert.equal(await withJourney(healthy, () => assert.fail("asked")), healthy);
});
