import assert from "node:assert/strict";
import { test } from "node:test";
import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { type FieldError, formatFieldError } from "../field-error.ts";
import recorded from "../recorded/structural.json" with { type: "json" };
import { applyDefaults } from "./defaults.ts";
import { validateListTypes } from "./list-type.ts";
import { prune } from "./prune.ts";
import { findFormat } from "./string-formats.ts";
import { buildStructuralSchema } from "./structural-schema.ts";
import { compileValidator } from "./validator.ts";

/** What upstream made of a schema and a value. */
interface Case {
  schema: JSONSchemaProps;
  value: unknown;
  old?: unknown;
  errors?: string[];
  result?: unknown;
  pruned?: string[];
}

/** Errors with their types; upstream's order depends on Go's maps, so none is kept. */
const described = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => `${error.type} ${formatFieldError(error)}`).sort();

const cases = (name: "values" | "prune" | "defaults" | "lists"): Case[] =>
  recorded[name] as unknown as Case[];

test("compileValidator() agrees with upstream on every recorded value", () => {
  for (const { schema, value, old, errors = [] } of cases("values")) {
    const validator = compileValidator(buildStructuralSchema(schema));
    const found =
      old === undefined ? validator.validate(value) : validator.validateUpdate(value, old);
    assert.deepEqual(described(found), errors.sort(), JSON.stringify({ schema, value, old }));
  }
});

test("prune() agrees with upstream on every recorded value", () => {
  for (const { schema, value, result, pruned = [] } of cases("prune")) {
    const object = structuredClone(value);
    assert.deepEqual(prune(object, buildStructuralSchema(schema)), pruned);
    assert.deepEqual(object, result, JSON.stringify({ schema, value }));
  }
});

test("applyDefaults() agrees with upstream on every recorded value", () => {
  for (const { schema, value, result } of cases("defaults")) {
    const object = structuredClone(value);
    applyDefaults(object, buildStructuralSchema(schema));
    assert.deepEqual(object, result, JSON.stringify({ schema, value }));
  }
});

test("validateListTypes() agrees with upstream on every recorded value", () => {
  for (const { schema, value, errors = [] } of cases("lists")) {
    const found = validateListTypes(value, buildStructuralSchema(schema));
    assert.deepEqual(described(found), errors.sort(), JSON.stringify({ schema, value }));
  }
});

for (const [name, texts] of Object.entries(recorded.formats)) {
  test(`format ${name} accepts what upstream accepts`, () => {
    const isFormat = findFormat(name) ?? assert.fail();
    const valid = recorded.formatsValid[name as keyof typeof recorded.formatsValid];
    assert.deepEqual(texts.filter(isFormat), valid);
  });
}
