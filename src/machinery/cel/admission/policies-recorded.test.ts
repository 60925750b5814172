import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { alice } from "#/testing/cel-replay/alice.ts";
import { literalText } from "#/testing/cel-replay/literal-text.ts";
import { ResourceCheckValue } from "../library/values/authorizer-value.ts";
import {
  anyType,
  boolType,
  type CelType,
  listOf,
  nullType,
  objectType,
  stringType,
} from "../type/cel-type.ts";
import { PolicyCompiler, type PolicyExpression } from "./policy-compiler.ts";
import { OutOfBudgetError, PolicyRun } from "./policy-run.ts";

interface PolicyCase {
  readonly name: string;
  readonly params?: unknown;
  readonly authorizer?: boolean;
  readonly patches?: boolean;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly expressions: readonly string[];
  readonly returns?: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly request: unknown;
  readonly namespace: unknown;
  readonly budget?: number;
  readonly want: PolicyAnswer;
}

interface PolicyAnswer {
  readonly results?: readonly string[];
  readonly fatal?: string;
  readonly remaining: number;
}

/** Recorded from apiserver v0.37.1 by tools/record-cel. */
const file: { given: Partial<PolicyCase>; cases: readonly PolicyCase[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../recorded/policies.json"), "utf8"),
);

const returnTypes: Readonly<Record<string, readonly CelType[]>> = {
  any: [anyType],
  message: [stringType],
  audit: [stringType, nullType],
  patch: [listOf(objectType("JSONPatch"))],
  apply: [objectType("Object")],
};

for (const recorded of file.cases) {
  test(`PolicyRun gives upstream's result: ${recorded.name}`, () => {
    assert.deepEqual(answer({ ...file.given, ...recorded }), recorded.want);
  });
}

function answer(given: PolicyCase): PolicyAnswer {
  const { authorizer = false, patches = false, variables = [], expressions, budget } = given;
  const compiler = new PolicyCompiler({ params: given.params !== undefined, authorizer, patches });
  for (const { name, expression } of variables) compiler.addVariable(name, expression);
  const types = returnTypes[given.returns ?? ""] ?? [boolType];
  const compiled = expressions.map((expression) => compiler.compile(expression, types));
  const run = new PolicyRun(compiler, bindings(given), budget);
  try {
    const results = compiled.map((expression) => outcome(run, expression));
    return { results, remaining: run.remainingBudget };
  } catch (error) {
    if (!(error instanceof OutOfBudgetError)) throw error;
    return { fatal: error.message, remaining: -1 };
  }
}

function bindings({ object, oldObject = null, request, namespace, ...given }: PolicyCase) {
  const asked = { group: "example.com", resource: "things", namespace: "default", name: "thing" };
  const requestResource = new ResourceCheckValue(alice, asked);
  return {
    object,
    oldObject,
    request,
    namespaceObject: namespace,
    params: given.params,
    ...(given.authorizer && { authorizer: alice, requestResource }),
  };
}

function outcome(run: PolicyRun, expression: PolicyExpression): string {
  const result = run.evaluate(expression);
  return "error" in result ? `error: ${result.error}` : literalText(result.value);
}
