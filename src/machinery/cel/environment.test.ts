import assert from "node:assert/strict";
import { test } from "node:test";
import { CompileError, Environment } from "./environment.ts";
import { kubernetesEnvironment } from "./kubernetes/kubernetes-environment.ts";
import { standardLibrary } from "./library/standard.ts";
import { overload } from "./model/declaration.ts";
import { PlanError } from "./runtime/planned.ts";
import { boolType, dynType, formatType, intType, listOf, stringType } from "./type/cel-type.ts";

const environment = kubernetesEnvironment({
  variables: { self: dynType, names: listOf(stringType) },
});

test("Environment.compile() gives the type and the variables of an expression", () => {
  const program = environment.compile("names.exists(name, name == self.name)");
  assert.equal(program.outputType, boolType);
  assert.equal(program.usesVariable("self"), true);
  assert.equal(program.usesVariable("name"), false);
  assert.equal(formatType(environment.compile("names.map(n, size(n))").outputType), "list(int)");
});

test("Environment.compile() reports the position of an error", () => {
  assert.throws(
    () => environment.compile("names +\n  other"),
    new CompileError(
      "ERROR: <input>:2:3: undeclared reference to 'other' (in container '')\n |   other\n | ..^",
    ),
  );
});

test("Environment.compile() refuses constants without a value", () => {
  assert.throws(
    () => environment.compile("int('x') == 1"),
    new PlanError("type conversion error from 'string' to 'int'"),
  );
});

test("Program.evaluate() gives a value and its cost", () => {
  const program = environment.compile("self.a + 1");
  assert.deepEqual(program.evaluate({ self: { a: 2 } }), { value: 3n, cost: 3, cancelled: false });
});

test("Program.evaluate() stops at the cost limit", () => {
  const program = environment.compile("[1, 2, 3].all(x, x > 0)");
  const { cost, cancelled } = program.evaluate({}, { costLimit: 5 });
  assert.deepEqual({ cost, cancelled }, { cost: 6, cancelled: true });
});

test("Environment.extend() adds functions and variables, and does not change the original", () => {
  const base = new Environment(undefined, { libraries: [standardLibrary] });
  const twice = overload("twice_int", [intType], intType, (n) => {
    return typeof n === "bigint" ? n * 2n : 0n;
  });
  const extended = base.extend({
    libraries: [{ functions: [{ name: "twice", overloads: [twice] }] }],
    variables: { n: intType },
  });
  assert.equal(extended.compile("twice(n)").evaluate({ n: 21 }).value, 42n);
  assert.throws(() => base.compile("twice(1)"), CompileError);
});

test("kubernetesEnvironment() has the functions of a version", () => {
  const before = kubernetesEnvironment({ compatibility: 36 });
  assert.throws(() => before.compile("[1].includes(1)"), CompileError);
  assert.equal(kubernetesEnvironment().compile("[1].includes(1)").evaluate({}).value, true);
});
