import assert from "node:assert/strict";
import { test } from "node:test";
import { type Model, Models } from "./models.ts";
import { validateModel } from "./validate-model.ts";

const kind = { group: "example.com", version: "v1", kind: "Gadget" };
const models = new Models({
  definitions: {
    "com.example.Gadget": {
      type: "object",
      required: ["spec"],
      properties: {
        spec: { $ref: "#/definitions/com.example.Spec" },
        free: {},
        labels: { type: "object", additionalProperties: { type: "string" } },
        anything: { type: "object" },
      },
      "x-kubernetes-group-version-kind": [kind],
    },
    "com.example.Spec": {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer" },
        ratio: { type: "number" },
        on: { type: "boolean" },
        name: { type: "string" },
        parts: { type: "array", items: { $ref: "#/definitions/com.example.Spec" } },
      },
    },
  },
});

const cases: readonly { name: string; value: unknown; problems: string[] }[] = [
  { name: "accepts valid values", value: { spec: { size: 1, ratio: 1, on: true } }, problems: [] },
  { name: "accepts any scalar as a string", value: { spec: { size: 1, name: 3 } }, problems: [] },
  { name: "accepts a fraction as an integer", value: { spec: { size: 1.5 } }, problems: [] },
  { name: "ignores fields without a type", value: { spec: { size: 1 }, free: [1] }, problems: [] },
  { name: "leaves fields that are null", value: { spec: { size: 1, on: null } }, problems: [] },
  {
    name: "names unknown fields, then those that are missing",
    value: { b: 1, a: 2 },
    problems: [
      'ValidationError(Gadget): unknown field "a" in com.example.Gadget',
      'ValidationError(Gadget): unknown field "b" in com.example.Gadget',
      'ValidationError(Gadget): missing required field "spec" in com.example.Gadget',
    ],
  },
  {
    name: "names the field of the definition that has the wrong type",
    value: { spec: { size: "1", on: 1, parts: {} } },
    problems: [
      'ValidationError(Gadget.spec.on): invalid type for com.example.Spec.on: got "integer", expected "boolean"',
      'ValidationError(Gadget.spec.parts): invalid type for com.example.Spec.parts: got "map", expected "array"',
      'ValidationError(Gadget.spec.size): invalid type for com.example.Spec.size: got "string", expected "integer"',
    ],
  },
  {
    name: "looks into lists",
    value: { spec: { size: 1, parts: [{ size: [] }, null, true] } },
    problems: [
      'ValidationError(Gadget.spec.parts[0].size): invalid type for com.example.Spec.size: got "array", expected "integer"',
      'ValidationError(Gadget.spec.parts): unknown object type "nil" in Gadget.spec.parts[1]',
      'ValidationError(Gadget.spec.parts[2]): invalid type for com.example.Spec: got "boolean", expected "map"',
    ],
  },
  {
    name: "looks into maps",
    value: { spec: { size: 1 }, labels: { a: {}, b: null }, anything: { x: [1] } },
    problems: [
      'ValidationError(Gadget.labels.a): invalid type for com.example.Gadget.labels: got "map", expected "string"',
      'unknown object type "nil" in Gadget.labels.b',
    ],
  },
];

for (const { name, value, problems } of cases) {
  test(`validateModel() ${name}`, () => {
    assert.deepEqual(validateModel(value, models.find(kind) as Model, "Gadget"), problems);
  });
}

test("Models.find() has no model of a kind that is not there", () => {
  assert.equal(models.find({ ...kind, version: "v2" }), undefined);
});
