import assert from "node:assert/strict";
import { test } from "node:test";
import { planLegacyToken } from "./plan-legacy-token.ts";

const nowMs = Date.parse("2024-06-01T12:00:00Z");
const periodMs = 30 * 86_400_000;
const old = "2024-01-01T00:00:00Z";
const used = "kubernetes.io/legacy-token-last-used";
const invalid = "kubernetes.io/legacy-token-invalid-since";

const cases: [claim: string, metadata: object, plan: string][] = [
  ["is young", { creationTimestamp: "2024-05-20T00:00:00Z" }, "keep"],
  ["was never used", { creationTimestamp: old }, "mark 2024-06-01"],
  ["was used recently", { creationTimestamp: old, labels: { [used]: "2024-05-02" } }, "keep"],
  [
    "was used long ago",
    { creationTimestamp: old, labels: { [used]: "2024-05-01" } },
    "mark 2024-06-01",
  ],
  ["has an invalid last use", { creationTimestamp: old, labels: { [used]: "lately" } }, "keep"],
  ["was marked recently", { creationTimestamp: old, labels: { [invalid]: "2024-05-30" } }, "keep"],
  [
    "was marked long ago",
    { creationTimestamp: old, labels: { [invalid]: "2024-04-30" } },
    "remove",
  ],
  [
    "has an invalid mark",
    { creationTimestamp: old, labels: { [invalid]: "x" } },
    "mark 2024-06-01",
  ],
  ["is being deleted", { creationTimestamp: old, deletionTimestamp: old }, "keep"],
];

for (const [claim, metadata, expected] of cases) {
  test(`planLegacyToken() of a token that ${claim}: ${expected}`, () => {
    const secret = { metadata, type: "kubernetes.io/service-account-token" };
    const plan = planLegacyToken(secret, { nowMs, periodMs });
    assert.equal(plan.do === "mark" ? `mark ${plan.date}` : plan.do, expected);
  });
}

test("planLegacyToken() keeps secrets of other types", () => {
  const secret = { metadata: { creationTimestamp: old }, type: "Opaque" };
  assert.deepEqual(planLegacyToken(secret, { nowMs, periodMs }), { do: "keep" });
});
