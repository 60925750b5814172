import assert from "node:assert/strict";
import { test } from "node:test";
import { networkPolicyOf } from "./model/network-policy.ts";
import { MemberIndex } from "./plan/member-index.ts";
import { PolicyReporter } from "./policy-reporter.ts";

test("PolicyReporter reports a policy without Pods once, after a while, and again after a change", () => {
  const index = new MemberIndex();
  const reasons: string[] = [];
  const recorder = {
    event: (_object: object, _type: string, reason: string) => void reasons.push(reason),
  };
  const reporter = new PolicyReporter({ index, recorder });
  const empty = () =>
    networkPolicyOf({ metadata: { namespace: "a", name: "p" }, spec: { podSelector: {} } });
  const policy = empty();
  index.follow(new Map([[policy.subject.key, policy.subject]]));
  reporter.look([policy], 0);
  reporter.look([policy], 29_000);
  assert.deepEqual(reasons, []);
  for (const now of [30_000, 60_000, 90_000]) reporter.look([policy], now);
  assert.deepEqual(reasons, ["NoPodsSelected"]);
  const changed = { ...empty(), problems: ["x"] };
  reporter.look([changed], 100_000);
  reporter.look([changed], 130_000);
  assert.deepEqual(reasons, ["NoPodsSelected", "PolicyNotSupported", "NoPodsSelected"]);
});
