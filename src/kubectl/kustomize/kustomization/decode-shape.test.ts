import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeShape } from "./decode-shape.ts";
import { kustomizationShape } from "./shapes.ts";

const decode = (value: unknown): unknown =>
  decodeShape(value, kustomizationShape, { strict: true });

test("decodeShape() takes names in any case and leaves out nulls", () => {
  assert.deepEqual(decode({ NAMEPREFIX: "a", resources: null, images: [{ NewTag: "1" }] }), {
    namePrefix: "a",
    images: [{ newTag: "1" }],
  });
});

const refused: readonly (readonly [value: unknown, message: string])[] = [
  [{ zzz: 1 }, 'json: unknown field "zzz"'],
  [
    { zzz: 1, resources: 5 },
    "json: cannot unmarshal number into Go struct field Kustomization.resources of type []string",
  ],
  [[], "json: cannot unmarshal array into Go value of type types.Kustomization"],
  [
    { patches: [{ options: { allowNameChange: "x" } }] },
    "json: cannot unmarshal string into Go struct field PatchArgs.patches.options.allowNameChange of type bool",
  ],
];

for (const [value, message] of refused) {
  test(`decodeShape() refuses ${JSON.stringify(value)}`, () => {
    assert.throws(() => decode(value), { message });
  });
}
