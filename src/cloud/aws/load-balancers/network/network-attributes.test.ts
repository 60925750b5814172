import assert from "node:assert/strict";
import { test } from "node:test";
import {
  networkAttributes,
  planAttributes,
  planTargetGroupAttributes,
} from "./network-attributes.ts";

const prefix = "service.beta.kubernetes.io/aws-load-balancer-";
const logs = {
  [`${prefix}access-log-enabled`]: "true",
  [`${prefix}access-log-s3-bucket-name`]: "b",
};
const off = new Map([
  ["load_balancing.cross_zone.enabled", "false"],
  ["access_logs.s3.enabled", "false"],
]);

const cases = [
  { name: "nothing for the defaults", annotations: {}, found: off, expected: undefined },
  {
    name: "zones",
    annotations: { [`${prefix}cross-zone-load-balancing-enabled`]: "t" },
    found: off,
    expected: { "load_balancing.cross_zone.enabled": "true" },
  },
  {
    name: "logs with their bucket",
    annotations: logs,
    found: off,
    expected: { "access_logs.s3.enabled": "true", "access_logs.s3.bucket": "b" },
  },
  {
    name: "no bucket without logs",
    annotations: {},
    found: new Map([...off, ["access_logs.s3.enabled", "true"], ["access_logs.s3.bucket", "b"]]),
    expected: { "access_logs.s3.enabled": "false" },
  },
];
for (const { name, annotations, found, expected } of cases) {
  test(`planAttributes() sets ${name}`, () => {
    const [action] = planAttributes("arn", networkAttributes(annotations), found);
    assert.deepEqual(action && pairsOf(action.params), expected);
  });
}

test("planTargetGroupAttributes() sets what the group has and differs", () => {
  const annotations = { [`${prefix}target-group-attributes`]: "a=1,b=2,unknown=3" };
  const found = new Map([
    ["a", "0"],
    ["b", "2"],
  ]);
  const [action] = planTargetGroupAttributes("arn", annotations, found);
  assert.deepEqual(action && pairsOf(action.params), { a: "1" });
  assert.deepEqual(planTargetGroupAttributes("arn", {}, found), []);
});

function pairsOf(params: object): Record<string, string> {
  const { Attributes } = params as { Attributes: readonly { Key: string; Value: string }[] };
  return Object.fromEntries(Attributes.map(({ Key, Value }) => [Key, Value]));
}
