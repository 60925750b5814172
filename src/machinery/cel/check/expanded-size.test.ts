import assert from "node:assert/strict";
import { test } from "node:test";
import type { Expr } from "../syntax/expr.ts";
import { expandedSize } from "./expanded-size.ts";

const one: Expr = { kind: "literal", offset: 0, value: 1n };

const call = (...args: readonly Expr[]): Expr => ({ kind: "call", offset: 0, name: "f", args });

test("expandedSize() counts the nodes of an expression", () => {
  assert.equal(expandedSize(one), 1);
  assert.equal(expandedSize(call(one, call(one))), 4);
  assert.equal(
    expandedSize({
      kind: "map",
      offset: 0,
      entries: [{ offset: 0, key: one, value: one, optional: false }],
    }),
    3,
  );
});

test("expandedSize() counts repeated nodes without visiting each", () => {
  let expr: Expr = one;
  for (let i = 0; i < 40; i++) expr = call(expr, expr);
  assert.equal(expandedSize(expr), 2 ** 41 - 1);
});
