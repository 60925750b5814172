import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { CompileError } from "./environment.ts";
import { kubernetesEnvironment } from "./kubernetes/kubernetes-environment.ts";
import { PlanError } from "./runtime/planned.ts";
import { dynType } from "./type/cel-type.ts";

/** Upstream: PerCallLimit. */
const perCallLimit = 1_000_000;

/**
 * FUZZ_SECONDS runs each property for that time (seconds) with a random seed, instead of a few
 * hundred times with a fixed seed.
 */
const seconds = Number(process.env["FUZZ_SECONDS"] ?? 0);
const settings =
  seconds > 0
    ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1000 }
    : { seed: 20260309, numRuns: 300 };

const environment = kubernetesEnvironment({ variables: { self: dynType, a: dynType } });

const bindings = {
  self: { name: "x", n: 3, list: [1, 2, "a", null, { b: [true] }], map: { k: "v", d: 1.5 } },
  a: [3, 1, 2],
};

/**
 * An expression either has compile errors, or evaluates to a value or a fault with a cost. Anything
 * else is a bug.
 */
function checkExpression(expression: string): void {
  try {
    const program = environment.compile(expression);
    const { min, max } = program.estimateCost();
    assert.ok(min >= 0n && max >= min);
    const { value, cost, cancelled } = program.evaluate(bindings);
    assert.notEqual(value, undefined);
    assert.ok(Number.isSafeInteger(cost) && cost >= 0);
    assert.equal(cancelled, cost > perCallLimit);
  } catch (error) {
    if (!(error instanceof CompileError) && !(error instanceof PlanError)) throw error;
    assert.notEqual(error.message, "");
  }
}

function fuzz(expressions: fc.Arbitrary<string>): void {
  fc.assert(fc.property(expressions, checkExpression), settings);
}

const tokens = [
  ..."( ) [ ] { } . , ? : ! - + * / % < > <= >= == != && || in true false null self a x".split(" "),
  ...["1", "-1", "2u", "1.5", "0x1F", "9223372036854775807", "'s'", '"t"', "b'b'", "r'\\d'", "'''"],
  ...[" ", "\n", "//c\n", "\\", "`f-g`", "@", "é", "😀", "\0", ".?", "[?", "optional", "Object"],
  ...["has(", ".all(x,", ".map(x,", ".exists(x,", ".filter(x,", ".transformMap(k,v,", "type("],
  ...[
    ".size()",
    ".matches(",
    ".format([",
    ".split(",
    "duration(",
    "timestamp(",
    "quantity(",
    "ip(",
  ],
];

test("an environment handles any text", () => {
  fuzz(fc.string({ unit: "binary", maxLength: 200 }));
});

test("an environment handles any sequence of tokens", () => {
  fuzz(fc.array(fc.constantFrom(...tokens), { maxLength: 30 }).map((parts) => parts.join("")));
});

interface RecordedFile {
  readonly kind: string;
  readonly cases: readonly { readonly expr: string }[];
}

const recorded = globSync(join(import.meta.dirname, "recorded/*.json"))
  .map((path): RecordedFile => JSON.parse(readFileSync(path, "utf8")))
  .filter(({ kind }) => kind === "expressions")
  .flatMap(({ cases }) => cases.map(({ expr }) => expr))
  .filter((expr) => expr.length < 500);

test("an environment handles expressions with errors", () => {
  const change = fc.record({
    at: fc.nat(500),
    length: fc.nat(5),
    text: fc.oneof(fc.constantFrom(...tokens), fc.constantFrom(...recorded)),
  });
  const changes = fc.array(change, { minLength: 1, maxLength: 3 });
  fuzz(
    fc.tuple(fc.constantFrom(...recorded), changes).map(([expression, edits]) =>
      edits.reduce((text, { at, length, text: inserted }) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + inserted + text.slice(start + length);
      }, expression),
    ),
  );
});

/** Expressions that are well-formed, and often well-typed. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const leaf = fc.oneof(
    fc.constantFrom("self", "a", "x", "true", "null", "self.list", "self.map", "self.name"),
    fc.integer({ min: -5, max: 20 }).map(String),
    fc.constantFrom("[]", "{}", "'a'", "''", "1.0", "3u", "b'z'", "[1, 2, 3]", "{'k': 1}"),
    fc.constantFrom("duration('1h')", "timestamp(0)", "quantity('1Ki')", "ip('::1')", "int"),
  );
  const inner = tie("expression");
  const operator = fc.constantFrom("+", "-", "*", "/", "%", "==", "<", "in", "&&", "||");
  const macro = fc.constantFrom("all", "exists", "exists_one", "map", "filter");
  const method = fc.constantFrom("size", "reverse", "sum", "isSorted", "orValue", "string", "join");
  return {
    expression: fc.oneof(
      { maxDepth: 6, depthSize: "medium" },
      leaf,
      fc.tuple(inner, operator, inner).map(([left, op, right]) => `(${left} ${op} ${right})`),
      fc.tuple(inner, macro, inner).map(([range, name, body]) => `${range}.${name}(x, ${body})`),
      fc.tuple(inner, method).map(([target, name]) => `${target}.${name}()`),
      fc.tuple(inner, inner, inner).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
      fc.tuple(inner, inner).map(([target, index]) => `${target}[${index}]`),
      fc.tuple(inner, inner).map(([target, index]) => `${target}[?${index}]`),
      fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc.tuple(inner, inner).map(([key, value]) => `{${key}: ${value}}`),
      inner.map((value) => `dyn(${value})`),
      inner.map((value) => `string(${value})`),
    ),
  };
});

test("an environment handles well-formed expressions", () => {
  fuzz(expression);
});
