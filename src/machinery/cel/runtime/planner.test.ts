import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../check/checker.ts";
import { kubernetesEnvironment } from "../kubernetes/kubernetes-environment.ts";
import { Issues } from "../syntax/issues.ts";
import { parse } from "../syntax/parser.ts";
import { Source } from "../syntax/source.ts";
import { dynType, listOf, stringType } from "../type/cel-type.ts";
import { CelFault } from "../value/cel-fault.ts";
import { toCelValue } from "../value/json-value.ts";
import { Frame } from "./frame.ts";
import { plan } from "./planner.ts";

const environment = kubernetesEnvironment({
  variables: { self: dynType, names: listOf(stringType) },
});

const cases: readonly (readonly [expression: string, result: unknown, slots: number])[] = [
  ["1 + 2", 3n, 0],
  ["self.a == 'x' ? 'yes' : 'no'", "yes", 0],
  ["self.b == 1 || true", true, 0],
  ["self.b == 1", "no such key: b", 0],
  ["false && self.b == 1", false, 0],
  ["{'k': [1, 2]}['k'][1]", 2n, 0],
  ["1 / 0", "division by zero", 0],
];

for (const [expression, expected, slots] of cases) {
  test(`plan() of ${expression}`, () => {
    const source = new Source(expression);
    const issues = new Issues(source);
    const checked = check(parse(source, new Map(), issues), environment, issues);
    const { step, slotCount } = plan(checked, environment.provider);
    const bindings = { self: toCelValue({ a: "x" }), names: toCelValue(["x", "y"]) };
    const result = step(new Frame(bindings, slotCount, Number.POSITIVE_INFINITY));
    assert.deepEqual(result instanceof CelFault ? result.message : result, expected);
    assert.equal(slotCount, slots);
  });
}
