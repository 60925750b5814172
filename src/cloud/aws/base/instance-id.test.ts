import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProviderId } from "./instance-id.ts";

const good = [
  ["aws:///us-west-2a/i-0123", "i-0123"],
  ["aws:////i-0123", "i-0123"],
  ["aws:///i-0123/", "i-0123"],
  ["i-0123", "i-0123"],
  [
    "aws:///us-west-2a/fargate-ip-10-0-0-1.us-west-2.compute.internal",
    "fargate-ip-10-0-0-1.us-west-2.compute.internal",
  ],
  ["aws:///us-west-2a/abcd/fargate-10.0.0.1", "fargate-10.0.0.1"],
];

for (const [providerId = "", id] of good) {
  test(`parseProviderId() finds the id in ${providerId}`, () => {
    assert.equal(parseProviderId(providerId), id);
  });
}

for (const providerId of [
  "",
  "aws://",
  "aws:///us-west-2a/",
  "aws:///us-west-2a/x-1",
  "gce://p/z/n",
  "aws://i-0123",
]) {
  test(`parseProviderId() refuses "${providerId}"`, () => {
    assert.throws(() => parseProviderId(providerId), {
      message: `Invalid format for AWS instance (${providerId})`,
    });
  });
}
