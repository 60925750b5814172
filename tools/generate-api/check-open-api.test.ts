import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOpenApi } from "./check-open-api.ts";
import type { OpenApiSchema } from "./open-api.ts";

const own: OpenApiSchema = {
  type: "object",
  required: ["a", "b"],
  properties: {
    a: { type: "string", enum: ["x"], default: "x" },
    b: { type: "array", items: { $ref: "Item" }, "x-kubernetes-list-type": "atomic" },
  },
};

const cases: readonly { name: string; actual: OpenApiSchema; problems: readonly string[] }[] = [
  { name: "nothing of the same", actual: own, problems: [] },
  {
    name: "nothing of another order of required fields",
    actual: { ...own, required: ["b", "a"] },
    problems: [],
  },
  {
    name: "nothing of a published document without enumerations",
    actual: { ...own, properties: { ...own.properties, a: { type: "string", default: "x" } } },
    problems: [],
  },
  {
    name: "nothing of a constant",
    actual: {
      ...own,
      properties: { ...own.properties, a: { type: "string", default: { constant: "v1.X" } } },
    },
    problems: [],
  },
  {
    name: "a field that is only on one side",
    actual: { ...own, properties: { ...own.properties, c: { type: "string" } } },
    problems: ["Box.c is only in OpenAPI"],
  },
  {
    name: "another enumeration and another list type",
    actual: {
      ...own,
      properties: {
        a: { type: "string", enum: ["x", "y"], default: "x" },
        b: { type: "array", items: { $ref: "Thing" }, "x-kubernetes-list-type": "set" },
      },
    },
    problems: [
      'Box.a: enum is ["x","y"] in OpenAPI, ["x"] in the Go source',
      'Box.b: x-kubernetes-list-type is "set" in OpenAPI, "atomic" in the Go source',
      'Box.b[]: $ref is "Thing" in OpenAPI, "Item" in the Go source',
    ],
  },
  {
    name: "a field that is no longer required",
    actual: { ...own, required: ["a"] },
    problems: ['Box: required is ["a"] in OpenAPI, ["a","b"] in the Go source'],
  },
];

for (const { name, actual, problems } of cases) {
  test(`checkOpenApi() reports ${name}`, () => {
    assert.deepEqual(checkOpenApi(new Map([["Box", own]]), new Map([["Box", actual]])), problems);
  });
}
