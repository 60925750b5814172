import assert from "node:assert/strict";
import { test } from "node:test";
import { anyType } from "../type/cel-type.ts";
import type { CelValue } from "../value/cel-value.ts";
import { applyConfiguration, PatchValueError, patchOperations } from "./patch-json.ts";
import { PolicyCompiler } from "./policy-compiler.ts";
import { PolicyRun } from "./policy-run.ts";

const object = { metadata: { labels: { a: "b" } }, spec: { ports: [80, 443] } };

function evaluate(expression: string): CelValue {
  const compiler = new PolicyCompiler({ patches: true });
  const compiled = compiler.compile(expression, [anyType]);
  const bindings = { object, oldObject: null, request: {}, namespaceObject: null };
  const outcome = new PolicyRun(compiler, bindings).evaluate(compiled);
  if ("error" in outcome) throw new Error(outcome.error);
  return outcome.value;
}

const values: readonly (readonly [string, unknown])[] = [
  ["1", 1],
  ["9007199254740993", "9007199254740993"],
  ["2u", 2],
  ["1.5", 1.5],
  ["null", null],
  ['b"ab"', "YWI="],
  ['duration("90s")', "90s"],
  ['timestamp("2024-01-01T00:00:00Z")', "2024-01-01T00:00:00Z"],
  ['[1, 2].map(x, {"a": x})', [{ a: 1 }, { a: 2 }]],
  ["object.metadata", { labels: { a: "b" } }],
  ["object.spec.ports + [8080]", [80, 443, 8080]],
  ["Object.spec{template: Object.spec.template{a: 1}}", { template: { a: 1 } }],
  ["optional.of(1)", 1],
];

test("patchOperations() converts the values of expressions to JSON", () => {
  for (const [expression, want] of values) {
    const list = evaluate(`[JSONPatch{op: "add", path: "/x", value: ${expression}}]`);
    assert.deepEqual(patchOperations(list), [{ op: "add", path: "/x", value: want }]);
  }
});

test("patchOperations() keeps `from` and omits unset fields", () => {
  const list = evaluate('[JSONPatch{op: "move", from: "/a", path: "/b"}, JSONPatch{op: "remove"}]');
  assert.deepEqual(patchOperations(list), [
    { op: "move", from: "/a", path: "/b" },
    { op: "remove", path: "" },
  ]);
});

test("patchOperations() refuses values that are not JSON", () => {
  const reason = (value: string) => {
    const list = evaluate(`[JSONPatch{op: "add", path: "/x", value: ${value}}]`);
    return () => patchOperations(list);
  };
  const cannot = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
  assert.throws(
    reason("{1: 2}"),
    new PatchValueError(`${cannot}: unsupported type conversion from 'int' to string`),
  );
  assert.throws(reason("type(1)"), PatchValueError);
  assert.throws(reason("optional.none()"), PatchValueError);
  assert.throws(
    reason("Object.spec{a: Object.b{}}"),
    new PatchValueError(
      'type mismatch: unexpected type name "Object.b", expected "Object.spec.a", which matches field name path from root Object type',
    ),
  );
});

test("applyConfiguration() converts named fields with nested lists and maps", () => {
  const expression = `Object{
    metadata: Object.metadata{labels: {"a": "b"}},
    spec: Object.spec{containers: [Object.spec.containers{name: "x"}]}
  }`;
  assert.deepEqual(applyConfiguration(evaluate(expression)), {
    metadata: { labels: { a: "b" } },
    spec: { containers: [{ name: "x" }] },
  });
});

test("applyConfiguration() refuses types that are not named after their fields", () => {
  const wrong = evaluate("Object{spec: Object.spec{containers: [Object.spec.container{}]}}");
  assert.throws(() => applyConfiguration(wrong), /expected "Object.spec.containers"/);
  assert.throws(() => applyConfiguration(evaluate("{}")), PatchValueError);
});
