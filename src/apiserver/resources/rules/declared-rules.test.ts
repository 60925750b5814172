import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label } from "#/machinery/meta/names.ts";
import { type StructRules, validateDeclared } from "./declared-rules.ts";
import { FieldReport } from "./field-report.ts";

const item: StructRules = {
  fields: { name: { required: true, format: isDNS1123Label }, count: { minimum: 1, maximum: 5 } },
};
const rules: StructRules = {
  union: ["one", "other"],
  fields: {
    one: { immutable: true },
    other: { fixedPresence: true },
    kind: { gate: "Kinds", values: ["A", "B"] },
    items: { maxItems: 2, fixedItems: true, named: true, items: () => item },
  },
};

function check(value: object, old?: object, features: readonly string[] = []): string {
  const report = new FieldReport();
  const scope = {
    isUpdate: old !== undefined,
    enabled: (feature: string) => features.includes(feature),
  };
  validateDeclared(report, fieldPath("s"), { value, old, rules }, scope);
  return formatFieldErrors(report.errors);
}

const created: readonly [name: string, value: object, message: string, features?: string[]][] = [
  ["what is right", { one: {}, items: [{ name: "a", count: 2 }] }, ""],
  ["none of a union", {}, 's: Invalid value: "": must specify one of: `one`, `other`'],
  [
    "two of a union",
    { one: {}, other: {} },
    's: Invalid value: "{one, other}": must specify exactly one of: `one`, `other`',
  ],
  ["a field of a feature that is off", { one: {}, kind: "A" }, "s.kind: Forbidden"],
  [
    "a value that is none",
    { one: {}, kind: "C" },
    's.kind: Unsupported value: "C": supported values: "A", "B"',
    ["Kinds"],
  ],
  [
    "too many items",
    { one: {}, items: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    "s.items: Too many: 3: must have at most 2 items",
  ],
  [
    "items of one name, and numbers",
    {
      one: {},
      items: [
        { name: "a", count: 6 },
        { name: "a", count: -1 },
      ],
    },
    '[s.items[1]: Duplicate value: {"name":"a","count":-1}, s.items[0].count: Invalid value: 6: must be less than or equal to 5, s.items[1].count: Invalid value: -1: must be greater than or equal to 1]',
  ],
  ["an item without a name", { one: {}, items: [{}] }, "s.items[0].name: Required value"],
];

for (const [name, value, message, features] of created) {
  test(`validateDeclared() on create: ${name}`, () => {
    assert.equal(check(value, undefined, features), message);
  });
}

const updated: readonly [name: string, value: object, old: object, message: string][] = [
  ["what has not changed", { kind: "C" }, { kind: "C" }, ""],
  [
    "what may not change",
    { one: { a: 1 } },
    { one: {} },
    "s.one: Invalid value: null: field is immutable",
  ],
  [
    "what may not come",
    { one: {}, other: {} },
    { one: {} },
    '[s: Invalid value: "{one, other}": must specify exactly one of: `one`, `other`, s.other: Invalid value: null: field cannot be set once created]',
  ],
  [
    "items that come and go",
    { one: {}, items: [{ name: "b" }] },
    { one: {}, items: [{ name: "a" }] },
    "[s.items[0]: Forbidden: item may not be added, s.items: Forbidden: item may not be removed]",
  ],
];

for (const [name, value, old, message] of updated) {
  test(`validateDeclared() on update: ${name}`, () => {
    assert.equal(check(value, old), message);
  });
}
