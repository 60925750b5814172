import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "#/api/core/v1.ts";
import {
  compileNodeSelector,
  compilePreferredTerms,
  compileRequiredNodeAffinity,
} from "./node-affinity.ts";

const node = { metadata: { name: "n1", labels: { zone: "a", cores: "8" } } };

test("compileNodeSelector() matches labels and fields, any term", () => {
  const zone: NodeSelectorRequirement = { key: "zone", operator: "In", values: ["a", "b"] };
  const cases: [NodeSelectorTerm[], boolean][] = [
    [[], false],
    [[{}], false],
    [[{ matchExpressions: [zone] }], true],
    [[{ matchExpressions: [{ ...zone, operator: "NotIn" }] }], false],
    [[{ matchExpressions: [{ key: "gpu", operator: "Exists" }] }], false],
    [[{ matchExpressions: [{ key: "gpu", operator: "DoesNotExist" }] }], true],
    [[{ matchExpressions: [{ key: "cores", operator: "Gt", values: ["7"] }] }], true],
    [[{ matchExpressions: [{ key: "cores", operator: "Lt", values: ["8"] }] }], false],
    [[{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }], true],
    [[{ matchFields: [{ key: "metadata.name", operator: "NotIn", values: ["n1"] }] }], false],
    [
      [
        {
          matchExpressions: [zone],
          matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }],
        },
      ],
      false,
    ],
    [
      [{ matchExpressions: [{ key: "gpu", operator: "Exists" }] }, { matchExpressions: [zone] }],
      true,
    ],
  ];
  for (const [nodeSelectorTerms, expected] of cases) {
    const matcher = compileNodeSelector({ nodeSelectorTerms });
    assert.deepEqual(matcher.problems, []);
    assert.equal(matcher.matches(node), expected, JSON.stringify(nodeSelectorTerms));
  }
});

test("compileNodeSelector() reports the problems of invalid terms and drops them", () => {
  const matcher = compileNodeSelector({
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "zone", operator: "Near" as "In", values: ["a"] }] },
      { matchExpressions: [{ key: "cores", operator: "Gt", values: ["many"] }] },
      { matchFields: [{ key: "metadata.name", operator: "Exists" }] },
      { matchFields: [{ key: "metadata.name", operator: "In", values: ["a", "b"] }] },
      { matchExpressions: [{ key: "zone", operator: "Exists" }] },
    ],
  });
  assert.ok(matcher.matches(node));
  assert.deepEqual(matcher.problems, [
    'nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
    "nodeSelectorTerms[1].matchExpressions[0].values[0]: Invalid value: \"many\": for 'Gt', 'Lt' operators, the value must be an integer",
    'nodeSelectorTerms[2].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
    'nodeSelectorTerms[3].matchFields[0].values: Invalid value: ["a","b"]: must have one element',
  ]);
});

test("compileRequiredNodeAffinity() requires both nodeSelector and affinity", () => {
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "cores", operator: "Exists" as const }] }],
      },
    },
  };
  assert.ok(compileRequiredNodeAffinity({}).matches(node));
  assert.ok(compileRequiredNodeAffinity({ nodeSelector: { zone: "a" }, affinity }).matches(node));
  assert.ok(!compileRequiredNodeAffinity({ nodeSelector: { zone: "b" }, affinity }).matches(node));
  assert.ok(!compileRequiredNodeAffinity({ affinity }).matches({ metadata: { name: "n2" } }));
});

test("compilePreferredTerms() adds up the weights of matching terms", () => {
  const term = (weight: number, zone: string) => ({
    weight,
    preference: { matchExpressions: [{ key: "zone", operator: "In" as const, values: [zone] }] },
  });
  const preferred = compilePreferredTerms([term(5, "a"), term(7, "b"), term(2, "a"), term(0, "a")]);
  assert.equal(preferred.score(node), 7);
  assert.equal(compilePreferredTerms(undefined).score(node), 0);
});
