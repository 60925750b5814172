import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "../schema/json-schema.ts";
import { FieldPathError, parseFieldPath } from "./field-path.ts";

const schema: JsonSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        "a.b": { type: "string" },
        labels: { type: "object", additionalProperties: { type: "string" } },
        list: { type: "array", items: { type: "string" } },
      },
    },
  },
};

test("parseFieldPath() gives the path in the form of errors", () => {
  for (const [path, want] of [
    [".spec", "spec"],
    [".spec['a.b']", "spec.a.b"],
    [".spec.labels.x", "spec.labels[x]"],
    ["['spec'].labels['x.y']", "spec.labels[x.y]"],
  ] as const) {
    assert.equal(parseFieldPath(path, schema), want, path);
  }
});

test("parseFieldPath() refuses paths that the schema does not have", () => {
  for (const path of ["spec", ".nothing", ".spec.list[0]", ".spec.", ".spec[", ".", ".spec..a"]) {
    assert.throws(() => parseFieldPath(path, schema), FieldPathError, path);
  }
});
