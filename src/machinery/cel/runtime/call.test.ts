/** Upstream: vendor/github.com/google/cel-go/interpreter/planner.go (planCall), decorators.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckedCall } from "../model/checked.ts";
import { type FunctionDecl, overload } from "../model/declaration.ts";
import { stringType } from "../type/cel-type.ts";
import { CelFault } from "../value/cel-fault.ts";
import { ArrayList } from "../value/cel-list.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { planCall } from "./call.ts";
import { Frame } from "./frame.ts";
import { PlanError, type Planned } from "./planned.ts";

const value = (known: CelValue): Planned => ({ step: () => known, constant: { value: known } });
const variable = (result: CelResult): Planned => ({ step: () => result });
const fault = new CelFault("no such thing");

function call(name: string, id: string, run: (...args: readonly CelValue[]) => CelResult) {
  const signature = overload(id, [stringType, stringType], stringType, run);
  const decl: FunctionDecl = { name, overloads: [signature], unguarded: true };
  return { kind: "call", decl, args: [], overloads: [signature] } as unknown as CheckedCall;
}

function evaluate({ step }: Planned): { result: CelResult; cost: number } {
  const frame = new Frame({}, 0, Number.POSITIVE_INFINITY);
  return { result: step(frame), cost: frame.cost };
}

const join = call("join", "join_two", (a, b) => `${a}${b}`);
const int = call("int", "string_to_int", (text) =>
  text === "x" ? new CelFault("type conversion error") : BigInt(String(text)),
);
const within = call("@in", "in_list", () => false);
const list = new ArrayList(["a", "b"]);

const cases: readonly {
  readonly name: string;
  readonly planned: () => Planned;
  readonly result: CelResult;
  readonly cost: number;
  readonly isConstant?: boolean;
}[] = [
  {
    name: "calls with the values of its arguments",
    planned: () => planCall(join, [variable("a"), variable("b")]),
    result: "ab",
    cost: 1,
  },
  {
    name: "returns a fault among its arguments, and charges for the call",
    planned: () => planCall(join, [variable("a"), variable(fault)]),
    result: fault,
    cost: 1,
  },
  {
    name: "computes a conversion of a constant at compile time",
    planned: () => planCall(int, [value("12")]),
    result: 12n,
    cost: 0,
    isConstant: true,
  },
  {
    name: "does not compute a conversion of a variable at compile time",
    planned: () => planCall(int, [variable("12")]),
    result: 12n,
    cost: 1,
  },
  {
    name: "looks up members of a constant list, at no cost",
    planned: () => planCall(within, [variable("b"), value(list)]),
    result: true,
    cost: 0,
  },
  {
    name: "finds nothing in an empty list",
    planned: () => planCall(within, [variable("b"), value(new ArrayList([]))]),
    result: false,
    cost: 0,
    isConstant: true,
  },
];

for (const { name, planned, result, cost, isConstant = false } of cases) {
  test(`planCall() ${name}`, () => {
    const one = planned();
    assert.deepEqual(evaluate(one), { result, cost });
    assert.equal(one.constant !== undefined, isConstant);
  });
}

test("planCall() refuses a conversion of a constant that has no value", () => {
  assert.throws(() => planCall(int, [value("x")]), PlanError);
});
