import assert from "node:assert/strict";
import { test } from "node:test";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { declareKind } from "../schema/api-schema.ts";
import { anyType } from "../type/cel-type.ts";
import { PolicyCompiler } from "./policy-compiler.ts";
import { PolicyRun } from "./policy-run.ts";

function checkDeployment(expression: string, variables: Record<string, string> = {}) {
  const schema = findSchema("apps", "v1", "Deployment");
  const object = schema && declareKind(schema, "Deployment");
  assert.ok(object);
  const compiler = new PolicyCompiler({ authorizer: true, types: { object } });
  for (const [name, text] of Object.entries(variables)) compiler.addVariable(name, text);
  return compiler.compile(expression, [anyType]).issues;
}

test("PolicyCompiler.compile() checks expressions against the type of an object", () => {
  assert.equal(checkDeployment("object.spec.replicas > 1"), undefined);
  assert.equal(
    checkDeployment("object.spec.replicas > '1'"),
    "ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n" +
      " | object.spec.replicas > '1'\n | .....................^",
  );
  assert.equal(
    checkDeployment("oldObject.spec.foo == 1"),
    "ERROR: <input>:1:15: undefined field 'foo'\n | oldObject.spec.foo == 1\n | ..............^",
  );
});

test("PolicyCompiler.compile() knows the types of variables", () => {
  const variables = { replicas: "object.spec.replicas" };
  assert.equal(checkDeployment("variables.replicas + 1", variables), undefined);
  assert.match(checkDeployment("variables.replicas + 'a'", variables) ?? "", /\(int, string\)/);
});

test("PolicyCompiler has no variables for match conditions", () => {
  const compiler = new PolicyCompiler({ variables: false });
  const { error } = compiler.compile("variables.a == 1");
  assert.match(error ?? "", /undeclared reference to 'variables'/);
});

test("PolicyRun fails on a variable that refers to itself", () => {
  const compiler = new PolicyCompiler();
  compiler.addVariable("a", "dyn(variables).a");
  const bindings = { object: null, oldObject: null, request: {}, namespaceObject: null };
  const outcome = new PolicyRun(compiler, bindings).evaluate(compiler.compile("variables.a == 1"));
  assert.deepEqual(outcome, {
    error:
      'expression \'variables.a == 1\' resulted in error: composited variable "a" fails to evaluate: composited variable "a" refers to itself',
  });
});
