import assert from "node:assert/strict";
import { test } from "node:test";
import { sortKeys } from "../structural/sorted-json.ts";
import * as field from "./field-error.ts";
import { type FieldPath, fieldPath } from "./field-path.ts";
import recorded from "./recorded/field-errors.json" with { type: "json" };

const spec = fieldPath("spec");

test("FieldPath renders fields, indexes and keys", () => {
  const cases: [FieldPath, string][] = [
    [spec, "spec"],
    [fieldPath("spec", "template", "metadata"), "spec.template.metadata"],
    [spec.child("containers").index(0).child("image"), "spec.containers[0].image"],
    [spec.child("limits").key("cpu"), "spec.limits[cpu]"],
    [fieldPath("a").index(1).index(2).key("k").child("b"), "a[1][2][k].b"],
  ];
  for (const [path, text] of cases) assert.equal(path.toString(), text);
});

test("formatFieldError() words each type as upstream", () => {
  const cases: [field.FieldError, string][] = [
    [field.required(spec), "spec: Required value"],
    [field.required(spec, "is needed"), "spec: Required value: is needed"],
    [field.invalid(spec, -1, "too small"), "spec: Invalid value: -1: too small"],
    [field.invalid(spec, 'a"b', "bad"), 'spec: Invalid value: "a\\"b": bad'],
    [field.invalid(spec, null, "bad"), "spec: Invalid value: null: bad"],
    [field.invalid(spec, true, "bad"), "spec: Invalid value: true: bad"],
    [field.invalid(spec, { a: [1, "<"] }, "bad"), 'spec: Invalid value: {"a":[1,"\\u003c"]}: bad'],
    [field.invalid(spec, new field.JsonValue("<"), ""), 'spec: Invalid value: "\\u003c"'],
    [field.typeInvalid(spec, "x", "no"), 'spec: Invalid value: "x": no'],
    [
      field.notSupported(spec, "x", ["A", "B"]),
      'spec: Unsupported value: "x": supported values: "A", "B"',
    ],
    [field.notSupported(spec, "x"), 'spec: Unsupported value: "x"'],
    [field.duplicate(spec, "x"), 'spec: Duplicate value: "x"'],
    [field.notFound(spec, "x"), 'spec: Not found: "x"'],
    [field.forbidden(spec, "no"), "spec: Forbidden: no"],
    [field.tooLong(spec, 63), "spec: Too long: may not be more than 63 bytes"],
    [field.tooLong(spec, 1), "spec: Too long: may not be more than 1 byte"],
    [field.tooLong(spec, -1), "spec: Too long: value is too long"],
    [field.tooLongCharacters(spec, 5), "spec: Too long: may not be more than 5 characters"],
    [field.tooMany(spec, 3, 2), "spec: Too many: 3: must have at most 2 items"],
    [field.tooMany(spec, -1, 1), "spec: Too many: must have at most 1 item"],
    [field.internalError(spec, new Error("oops")), "spec: Internal error: oops"],
    [field.required(undefined), "<nil>: Required value"],
  ];
  for (const [error, text] of cases) assert.equal(field.formatFieldError(error), text);
});

test("formatFieldErrors() joins different messages", () => {
  const one = field.required(spec);
  const two = field.duplicate(spec, 1);
  assert.equal(field.formatFieldErrors([one, one]), "spec: Required value");
  assert.equal(
    field.formatFieldErrors([one, two, one]),
    "[spec: Required value, spec: Duplicate value: 1]",
  );
  assert.equal(field.formatFieldErrors([]), "");
});

test("formatFieldError() shows values as upstream does on every recorded one", () => {
  for (const { value, text } of recorded) {
    // Go sorts the keys of maps.
    const shown = field.formatFieldError(field.invalid(fieldPath("f"), sortKeys(value), "d"));
    assert.equal(shown, text);
  }
});
