import assert from "node:assert/strict";
import { test } from "node:test";
import type { Facts } from "../../src/api/base/facts.ts";
import { writeJson } from "./write-json.ts";
import { writeTypes } from "./write-types.ts";

const facts: Facts = {
  group: "boxes",
  version: "v2",
  package: "io.k8s.api.boxes.v2",
  kinds: ["Box"],
  enums: { Color: ["Blue", "Red"] },
  lists: { Words: "string" },
  named: { Bag: "{}quantity" },
  aliases: { Crate: "boxes/v1.Crate" },
  structs: {
    Box: {
      map: "atomic",
      fields: {
        "...meta/v1.TypeMeta": {},
        metadata: { type: "meta/v1.ObjectMeta", number: 1 },
        color: { type: "Color", number: 2, required: true, omit: "never" },
        size: { type: "int32", omit: "never" },
        made: { type: "time", omit: "never" },
        ports: { type: "[]intOrString" },
        $ref: { type: "*string", default: "x" },
        "x-y": { type: "{}Words" },
      },
    },
    Empty: { fields: {} },
  },
};

test("writeTypes() writes interfaces, unions and aliases", () => {
  assert.equal(
    writeTypes(facts, "boxes"),
    `import type * as metaV1 from "../meta/v1-definitions.ts";
import type * as boxesV1 from "./v1-definitions.ts";

export type Color = "Blue" | "Red";

export type Words = string[];

export type Bag = Record<string, string>;

export type Crate = boxesV1.Crate;

export interface Box extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  color: Color;
  size: number;
  made?: string;
  ports?: (number | string)[];
  $ref?: string;
  "x-y"?: Record<string, Words>;
}

export type Empty = Record<string, never>;
`,
  );
});

test("writeJson() writes the facts with a line for each field", () => {
  const text = writeJson(facts);
  assert.deepEqual(JSON.parse(text), facts);
  assert.ok(text.includes('\n      "$ref": {"type": "*string", "default": "x"},\n'));
});
