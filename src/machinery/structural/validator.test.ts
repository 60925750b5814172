import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { formatFieldError } from "../meta/field-error.ts";
import { fieldPath } from "../meta/field-path.ts";
import { dropNulls, fillDefaults } from "./defaults.ts";
import { validateListTypes } from "./list-type.ts";
import { prune } from "./prune.ts";
import { findFormat } from "./string-formats.ts";
import { buildStructuralSchema } from "./structural-schema.ts";
import { compileValidator, type Validator } from "./validator.ts";

const seed = 20370;

const validatorOf = (schema: JSONSchemaProps): Validator =>
  compileValidator(buildStructuralSchema(schema));

test("compileValidator() puts the base path before its own", () => {
  const validator = validatorOf({ type: "object", properties: { a: { type: "string" } } });
  const errors = validator.validate({ a: 5 }, fieldPath("spec", "default"));
  assert.deepEqual(errors.map(formatFieldError), [
    'spec.default.a: Invalid value: "integer": a in body must be of type string: "integer"',
  ]);
});

test("compileValidator() keeps integers beyond 2^53 exact", () => {
  const validator = validatorOf({ type: "integer", maximum: 5 });
  assert.deepEqual(validator.validate(9223372036854775807n).map(formatFieldError), [
    "<nil>: Invalid value: 9223372036854775807:  in body should be less than or equal to 5",
  ]);
  assert.deepEqual(validatorOf({ type: "integer", multipleOf: 2 }).validate(2n ** 60n), []);
});

test("compileValidator() reports at most ten thousand problems", () => {
  const validator = validatorOf({ type: "array", items: { type: "string" } });
  const list = Array.from({ length: 100_000 }, (_, index) => index);
  assert.equal(validator.validate(list).length, 10_000);
});

test("compileValidator() is linear in hostile patterns, texts and lists", () => {
  const hostile = `${"a".repeat(100_000)}!`;
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "(.*)*x", "^([a-z]+)*$"]) {
    assert.equal(validatorOf({ type: "string", pattern }).validate(hostile).length, 1);
  }
  const list = Array.from({ length: 100_000 }, (_, index) => ({ k: index }));
  const set: JSONSchemaProps = {
    type: "array",
    uniqueItems: true,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", properties: { k: { type: "integer", maximum: -1 } } },
  };
  assert.deepEqual(validatorOf(set).validateUpdate(list.toReversed(), list), []);
  const wrapped = buildStructuralSchema({ type: "object", properties: { l: set } });
  assert.deepEqual(validateListTypes({ l: list }, wrapped), []);
});

test("formats are linear in hostile texts", () => {
  const texts = [
    "a".repeat(3_000_000),
    "1".repeat(3_000_000),
    "a.".repeat(1_000_000),
    "(".repeat(1_000_000),
  ];
  for (const name of [
    "uri",
    "email",
    "hostname",
    "ipv6",
    "cidr",
    "mac",
    "creditcard",
    "byte",
    "duration",
    "date-time",
    "isbn",
    "rgbcolor",
  ]) {
    for (const text of texts) findFormat(name)?.(text);
  }
});

test("no check throws on a value of any shape", () => {
  const schema: JSONSchemaProps = {
    type: "object",
    properties: {
      a: { type: "string", format: "date-time", maxLength: 5, default: "x" },
      b: { type: "array", items: { type: "integer", minimum: 3 }, "x-kubernetes-list-type": "set" },
      c: { type: "object", additionalProperties: { type: "number", multipleOf: 0.1 } },
      d: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      __proto__: { type: "string" },
    },
    required: ["a", "constructor"],
  };
  const structural = buildStructuralSchema(schema);
  const validator = compileValidator(structural);
  const keys = fc.constantFrom("a", "b", "c", "d", "__proto__", "constructor", "toString", "x");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue({ maxDepth: 2 }),
      tie("object"),
      fc.array(tie("value")),
    ),
    object: fc.dictionary(keys, tie("value")),
  }));
  fc.assert(
    fc.property(value, value, (one, other) => {
      const object = structuredClone(one);
      prune(object, structural);
      dropNulls(object, structural);
      fillDefaults(object, structural);
      validateListTypes(object, structural);
      validator.validate(object);
      validator.validateUpdate(object, other);
      assert.deepEqual(prune(object, structural), []);
    }),
    { seed, numRuns: 100 },
  );
});

test("an update that changes nothing is never rejected", () => {
  const item = {
    type: "object",
    properties: { k: { type: "string" }, v: { type: "integer", maximum: 1 } },
  };
  const validator = validatorOf({
    type: "object",
    properties: {
      n: { type: "integer", maximum: 1 },
      l: {
        type: "array",
        items: item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
      },
    },
  });
  const objects = fc.record(
    {
      n: fc.integer(),
      l: fc.uniqueArray(fc.record({ k: fc.string(), v: fc.integer() }), { selector: ({ k }) => k }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(
    fc.property(objects, (object) => {
      assert.deepEqual(validator.validateUpdate(structuredClone(object), object), []);
    }),
    { seed },
  );
});
