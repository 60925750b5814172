import assert from "node:assert/strict";
import { test } from "node:test";
import { checkUntestedPlans } from "./untested-plans.ts";

const plans = [
  "export function planSize(): void {}",
  "export function decide(): void {}",
  "function computeInside(): void {}",
  "export function planner(): void {}",
].join("\n");

const source = { path: "src/controllers/web/plan.ts", text: plans };
const testing = (
  names: string,
  specifier = "./plan.ts",
  path = "src/controllers/web/plan.test.ts",
) => ({
  path,
  text: `import { ${names} } from "${specifier}";`,
});

const cases = [
  { name: "nothing is tested", tests: [], missing: ["planSize", "decide"] },
  { name: "both are tested", tests: [testing("decide, planSize")], missing: [] },
  {
    name: "one is tested under another name",
    tests: [testing("decide as judge")],
    missing: ["planSize"],
  },
  {
    name: "a test imports the same name from another file",
    tests: [testing("decide, planSize", "./other.ts")],
    missing: ["planSize", "decide"],
  },
  {
    name: "a test elsewhere imports it by its full path",
    tests: [testing("decide, planSize", "#/controllers/web/plan.ts", "src/x.test.ts")],
    missing: [],
  },
  {
    name: "only a test of whole programs uses it",
    tests: [
      testing("decide", "#/controllers/web/plan.ts", "test/e2e/x.test.ts"),
      testing("planSize", "./plan.ts", "src/controllers/web/plan.integration.test.ts"),
    ],
    missing: ["planSize", "decide"],
  },
];

for (const { name, tests, missing } of cases) {
  test(`checkUntestedPlans() when ${name}`, () => {
    const found = checkUntestedPlans([source, ...tests]).map(({ message }) => message);
    assert.deepEqual(
      found,
      missing.map((one) => `no unit test imports ${one}(): put its cases into a table beside it`),
    );
  });
}
