import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "#/api/batch/v1.ts";
import { expiresInMs } from "./finished-expiry.ts";

const ended = { type: "Complete", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" };
const cases = [
  { claim: "is the rest of its time", ttl: 10, conditions: [ended], expected: 4000 },
  { claim: "is negative when it is over", ttl: 5, conditions: [ended], expected: -1000 },
  { claim: "is none while it runs", ttl: 5, conditions: [], expected: undefined },
  { claim: "is none without a limit", conditions: [ended], expected: undefined },
] as const;

for (const { claim, expected, conditions, ...rest } of cases) {
  test(`expiresInMs of a job ${claim}`, () => {
    const spec = "ttl" in rest ? { ttlSecondsAfterFinished: rest.ttl } : {};
    const job = { metadata: {}, spec, status: { conditions } } as unknown as Job;
    assert.equal(expiresInMs(job, Date.parse("2024-01-01T00:00:06Z")), expected);
  });
}
