import assert from "node:assert/strict";
import { test } from "node:test";
import type { PolicyRule } from "#/api/rbac/v1.ts";
import { randomInt, seededRandom } from "#/std/base/random.ts";
import { lackingRules, uncoveredRules } from "./uncovered-rules.ts";

const resource = (
  apiGroups: string[],
  resources: string[],
  verbs: string[],
  resourceNames?: string[],
): PolicyRule => ({ apiGroups, resources, verbs, ...(resourceNames && { resourceNames }) });

const path = (nonResourceURLs: string[], verbs: string[]): PolicyRule => ({
  nonResourceURLs,
  verbs,
});

const cases: readonly {
  name: string;
  owner: PolicyRule[];
  servant: PolicyRule[];
  expected: PolicyRule[];
}[] = [
  { name: "nothing", owner: [], servant: [], expected: [] },
  {
    name: "each permission, in the order of the rule",
    owner: [],
    servant: [resource(["b", "a"], ["y", "x"], ["get"])],
    expected: [
      resource(["b"], ["y"], ["get"]),
      resource(["b"], ["x"], ["get"]),
      resource(["a"], ["y"], ["get"]),
      resource(["a"], ["x"], ["get"]),
    ],
  },
  {
    name: "all but those of several rules",
    owner: [resource(["a"], ["x"], ["get"]), resource(["a"], ["y"], ["*"])],
    servant: [resource(["a"], ["x", "y"], ["get", "list"])],
    expected: [resource(["a"], ["x"], ["list"])],
  },
  {
    name: "names, which a rule without names grants",
    owner: [resource(["a"], ["x"], ["get"], ["m"]), resource(["a"], ["y"], ["get"])],
    servant: [resource(["a"], ["x", "y"], ["get"], ["n", "m"]), resource(["a"], ["x"], ["get"])],
    expected: [resource(["a"], ["x"], ["get"], ["n"]), resource(["a"], ["x"], ["get"])],
  },
  {
    name: "subresources of any resource",
    owner: [resource(["*"], ["*/scale"], ["get"])],
    servant: [resource(["a"], ["x/scale", "x/status"], ["get"])],
    expected: [resource(["a"], ["x/status"], ["get"])],
  },
  {
    name: "paths",
    owner: [path(["/a/*", "/b"], ["get"])],
    servant: [path(["/a/x", "/b", "/b/c", "/a"], ["get"])],
    expected: [path(["/b/c"], ["get"]), path(["/a"], ["get"])],
  },
  {
    name: "a wildcard that only a wildcard grants",
    owner: [resource(["a"], ["x"], ["get", "list"])],
    servant: [resource(["a"], ["x"], ["*"])],
    expected: [resource(["a"], ["x"], ["*"])],
  },
];

for (const { name, owner, servant, expected } of cases) {
  test(`uncoveredRules() returns ${name}`, () => {
    assert.deepEqual(uncoveredRules(owner, servant), expected);
    assert.deepEqual(lackingRules(owner, servant), { isEach: true, rules: expected });
  });
}

/** Whether one rule grants a single permission. */
function grants(rule: PolicyRule, { apiGroups = [], resources = [], verbs }: PolicyRule): boolean {
  const has = (list: readonly string[] = [], [value = ""]: readonly string[]): boolean =>
    list.includes(value) || list.includes("*");
  return has(rule.verbs, verbs) && has(rule.apiGroups, apiGroups) && has(rule.resources, resources);
}

test("uncoveredRules() returns the same as a comparison of each permission", () => {
  const random = seededRandom(18);
  const some = (values: readonly string[]): string[] => {
    const list = values.filter(() => random() < 0.4);
    return list.length > 0 ? list : [values[randomInt(random, values.length)] ?? ""];
  };
  const draw = (): PolicyRule =>
    resource(some(["a", "b", "*"]), some(["x", "y", "z", "*"]), some(["get", "list", "watch"]));
  for (let round = 0; round < 300; round++) {
    const owner = Array.from({ length: randomInt(random, 6) }, draw);
    const servant = Array.from({ length: 1 + randomInt(random, 3) }, draw);
    const all = uncoveredRules([], servant);
    const expected = all.filter((part) => !owner.some((rule) => grants(rule, part)));
    assert.deepEqual(uncoveredRules(owner, servant), expected, JSON.stringify({ owner, servant }));
  }
});

test("lackingRules() does not list the permissions of a large rule", () => {
  const list = (prefix: string): string[] => Array.from({ length: 300 }, (_, i) => prefix + i);
  const rule = resource(list("g"), list("r"), list("v"));
  assert.deepEqual(lackingRules([], [rule]), { isEach: false, rules: [rule] });
  assert.deepEqual(lackingRules([rule], [rule]), { isEach: true, rules: [] });
});
