import assert from "node:assert/strict";
import { test } from "node:test";
import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { type FieldError, formatFieldError } from "../meta/field-error.ts";
import { fieldPath } from "../meta/field-path.ts";
import { validateDefaults } from "./default-rules.ts";
import { dropNulls, fillDefaults } from "./defaults.ts";
import { coerceEmbedded, validateEmbedded } from "./embedded-resource.ts";
import { validateListTypes } from "./list-type.ts";
import { prune } from "./prune.ts";
import recorded from "./recorded/structural.json" with { type: "json" };
import { findFormat } from "./string-formats.ts";
import { buildStructuralSchema, StructuralSchemaError } from "./structural-schema.ts";
import { validateStructural } from "./validate-structural.ts";
import { compileValidator } from "./validator.ts";

/** Upstream's results for a schema and a value. */
interface Case {
  schema: JSONSchemaProps;
  value: unknown;
  old?: unknown;
  errors?: string[];
  result?: unknown;
  pruned?: string[];
  error?: string;
}

/** Errors with their types, sorted, as upstream's order depends on Go's maps. */
const described = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => `${error.type} ${formatFieldError(error)}`).sort();

const cases = (name: Exclude<keyof typeof recorded, "formats" | "formatsValid">): Case[] =>
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

test("dropNulls() and fillDefaults() agree with upstream on every recorded value", () => {
  for (const { schema, value, result } of cases("defaults")) {
    const object = structuredClone(value);
    const structural = buildStructuralSchema(schema);
    dropNulls(object, structural);
    fillDefaults(object, structural);
    assert.deepEqual(object, result, JSON.stringify({ schema, value }));
  }
});

test("validateListTypes() agrees with upstream on every recorded value", () => {
  for (const { schema, value, errors = [] } of cases("lists")) {
    const found = validateListTypes(value, buildStructuralSchema(schema));
    assert.deepEqual(described(found), errors.sort(), JSON.stringify({ schema, value }));
  }
});

test("validateStructural() agrees with upstream on every recorded schema", () => {
  for (const { schema, errors = [], error } of cases("structure")) {
    if (error !== undefined) {
      assert.throws(() => buildStructuralSchema(schema), new StructuralSchemaError(error));
      continue;
    }
    const found = validateStructural(schema, fieldPath("schema"));
    assert.deepEqual(
      found.map((one) => `${one.type} ${formatFieldError(one)}`),
      errors,
      JSON.stringify(schema),
    );
  }
});

test("coerceEmbedded() and validateEmbedded() agree with upstream on every recorded value", () => {
  for (const { schema, value, errors = [], error, result } of cases("embedded")) {
    const structural = buildStructuralSchema(schema);
    const object = structuredClone(value);
    const [wrong] = coerceEmbedded(object, structural, { isRoot: true });
    assert.equal(wrong && formatFieldError(wrong), error, JSON.stringify(value));
    if (error !== undefined) continue;
    assert.deepEqual(object, result);
    const found = validateEmbedded(object, structural, { isRoot: true });
    assert.deepEqual(described(found), errors, JSON.stringify(value));
  }
});

test("validateDefaults() agrees with upstream on every recorded schema", () => {
  for (const { schema, errors = [] } of cases("defaultRules")) {
    const found = validateDefaults(buildStructuralSchema(schema), fieldPath("schema"));
    assert.deepEqual(described(found), errors, JSON.stringify(schema));
  }
});

for (const [name, texts] of Object.entries(recorded.formats)) {
  test(`format ${name} accepts what upstream accepts`, () => {
    const isFormat = findFormat(name) ?? assert.fail();
    const valid = recorded.formatsValid[name as keyof typeof recorded.formatsValid];
    assert.deepEqual(texts.filter(isFormat), valid);
  });
}
