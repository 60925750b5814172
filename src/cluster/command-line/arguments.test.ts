import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArguments } from "./arguments.ts";

const cases: readonly {
  readonly names: readonly string[];
  readonly args: readonly string[];
  readonly hasName?: boolean;
  readonly error?: string;
}[] = [
  { names: [], args: [] },
  { names: [], args: ["ux"], error: 'unexpected argument "ux"; did you mean --name ux?' },
  { names: [], args: ["ux"], hasName: false, error: 'unexpected argument "ux"' },
  { names: ["SERVER"], args: [], error: "SERVER is missing" },
  { names: ["SERVER"], args: ["a"] },
  { names: ["SERVER"], args: ["a", "b"], error: 'unexpected argument "b"' },
  { names: ["[COMPONENT]"], args: [] },
  { names: ["[COMPONENT]"], args: ["a"] },
  { names: ["FILE..."], args: [], error: "FILE is missing" },
  { names: ["FILE..."], args: ["a", "b", "c"] },
  { names: ["[FILE...]"], args: [] },
  { names: ["[FILE...]"], args: ["a", "b"] },
];
for (const { names, args, hasName = true, error } of cases) {
  test(`checkArguments() of [${args}] for [${names}], ${hasName ? "with" : "without"} a name: ${error ?? "accepted"}`, () => {
    const check = () => checkArguments(names, args, { hasName });
    if (error === undefined) check();
    else assert.throws(check, { name: "FlagError", message: error });
  });
}
