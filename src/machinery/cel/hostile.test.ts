import assert from "node:assert/strict";
import { test } from "node:test";
import { CompileError } from "./environment.ts";
import { kubernetesEnvironment } from "./kubernetes/kubernetes-environment.ts";
import { dynType } from "./type/cel-type.ts";
import { CelFault } from "./value/cel-fault.ts";

const environment = kubernetesEnvironment({ variables: { self: dynType } });

/** An expression with this number of levels, each built from the one below. */
function nested(levels: number, innermost: string, level: (inner: string) => string): string {
  let expression = innermost;
  for (let i = 0; i < levels; i++) expression = level(expression);
  return expression;
}

/** A list that contains itself twice, at each of `levels` levels: 2 ** levels elements. */
const doubled = (levels: number): string =>
  nested(levels, "[1]", (inner) => `[dyn(${inner})].map(x, [x, x])[0]`);

const refused: readonly (readonly [name: string, expression: string, error: string])[] = [
  [
    "long expressions",
    `1 ${" ".repeat(100_000)}`,
    "expression code point size exceeds limit: size: 100002, limit 100000",
  ],
  [
    "deep parentheses",
    `${"(".repeat(20_000)}1${")".repeat(20_000)}`,
    "expression recursion limit exceeded: 250",
  ],
  [
    "deep lists",
    `${"[".repeat(5000)}${"]".repeat(5000)}`,
    "expression recursion limit exceeded: 250",
  ],
  ["long selections", `self${".a".repeat(40_000)}`, "max recursion depth exceeded"],
  ["long sums", `1${" + 1".repeat(20_000)}`, "max recursion depth exceeded"],
  [
    "macros that double what they are applied to",
    `optional.of(1)${".optMap(x, x)".repeat(60)}`,
    "expression is too large",
  ],
  ["types that double", `[1]${".map(x, {x: x})".repeat(60)}`, "expression is too large"],
];

for (const [name, expression, error] of refused) {
  test(`Environment.compile() refuses ${name}`, () => {
    const message = `ERROR: <input>:-1:0: ${error}`;
    assert.throws(() => environment.compile(expression), new CompileError(message));
  });
}

const cancelled: readonly (readonly [name: string, expression: string])[] = [
  ["nested comprehensions", nested(30, "true", (inner) => `[1, 2].all(x, ${inner})`)],
  ["texts that double", nested(40, "'aaaa'", (inner) => `[${inner}].map(x, x + x)[0]`)],
  ["lists that double", `9 in ${nested(60, "[1]", (inner) => `[${inner}].map(x, x + x)[0]`)}`],
  ["lists that contain themselves twice, compared", `${doubled(30)} == ${doubled(30)}`],
  ["lists that contain themselves twice, flattened", `dyn(${doubled(30)}).flatten(99).size() > 0`],
  ["lists that contain themselves twice, written", `'%s'.format([${doubled(30)}])`],
  ["lists of distinct elements", "lists.range(900000).distinct()"],
  ["sets", "sets.contains(lists.range(400000), lists.range(400000))"],
  ["long texts replaced", `'${"a".repeat(50_000)}'.replace('', '${"b".repeat(40_000)}')`],
  ["long texts joined", `lists.range(100000).map(x, 'a').join('${"b".repeat(10_000)}')`],
  ["numbers of many digits", "'%.1000000000f'.format([1.5])"],
  ["large patterns", `'${"a".repeat(9000)}'.matches('${"a?".repeat(9000)}${"a".repeat(9000)}')`],
];

for (const [name, expression] of cancelled) {
  test(`Program.evaluate() stops ${name}`, () => {
    assert.equal(environment.compile(expression).evaluate({ self: {} }).cancelled, true);
  });
}

test("Program.evaluate() refuses ranges that are too long", () => {
  const { value } = environment.compile("lists.range(1000000000)").evaluate({});
  const message = "lists.range: size 1000000000 exceeds maximum allowed (1000000)";
  assert.deepEqual(value, new CelFault(message));
});

test("Environment.compile() refuses patterns that expand", () => {
  const expand = () => environment.compile("self.matches('((a{1000}){1000}){1000}')");
  assert.throws(expand, /invalid matches argument/);
});

test("Program.evaluate() treats prototype names as data", () => {
  const self = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
  const value = (expression: string) => environment.compile(expression).evaluate({ self }).value;
  assert.equal(value("self.a == 1 || true"), true);
  assert.equal(value("has(self.a) || has(self.toString)"), false);
  assert.equal(value("self.constructor"), 2n);
  assert.equal(value("self['__proto__'].a"), 1n);
  assert.equal(value("{'__proto__': 1}.size()"), 1n);
});

test("Environment.compile() refuses deep nesting behind a syntax error", () => {
  const compile = () => environment.compile(`1 ) ${"(".repeat(5000)}`);
  assert.throws(compile, CompileError);
  assert.throws(() => environment.compile(`[ ? ${"[".repeat(9000)}`), CompileError);
});
