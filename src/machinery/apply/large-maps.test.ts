import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, pods } from "#/api/core/v1.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { schemaOf } from "../schema/kinds.ts";
import { fieldSetOf, fieldSetSteps } from "./field-set-of.ts";
import { fieldTypeOf } from "./field-type.ts";
import { encodeFields } from "./fields-v1.ts";
import { mergeObjects, mergeSteps } from "./merge.ts";
import { isLargeMap } from "./typed-value.ts";

const keys = (from: number, to: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, value]));
const container = { name: "a", image: "x", ports: [{ containerPort: 80 }] };
const objects: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { metadata: { labels: {} }, data: {} },
  { metadata: { labels: keys(0, 20_000, "a"), annotations: null }, data: keys(5, 9_000, "b") },
  { metadata: { labels: keys(10_000, 30_000, "b") }, data: null, spec: { containers: [] } },
  { spec: { containers: [container], nodeSelector: keys(0, 9_000, "c") } },
  { metadata: { name: "p" }, spec: { containers: [{ ...container, image: "y" }] } },
];
const types = [configMaps, pods].map((one) => fieldTypeOf(schemaOf(one), { structured: false }));

/** A generator's result; fails unless it rests this number of times. */
function resting<T>(steps: Steps<T>, least: number): T {
  for (let count = 0; count < least; count++) assert.equal(steps.next().done, false);
  return runSteps(steps);
}

test("fieldSetSteps() gives the result of fieldSetOf(), with rests", () => {
  for (const type of types) {
    for (const object of objects) {
      const found = resting(fieldSetSteps(type, object), object === objects[2] ? 2 : 0);
      assert.deepEqual(encodeFields(found), encodeFields(fieldSetOf(type, object)));
    }
  }
});

test("mergeSteps() gives the result of mergeObjects(), with rests", () => {
  for (const type of types) {
    for (const live of objects) {
      for (const applied of objects) {
        const least = live === objects[2] && applied === objects[3] ? 2 : 0;
        const found = resting(mergeSteps(type, live, applied), least);
        assert.deepEqual(found, mergeObjects(type, live, applied));
      }
    }
  }
});

test("isLargeMap() counts keys", () => {
  assert.equal(isLargeMap(keys(0, 8_192, "")), false);
  assert.equal(isLargeMap(keys(0, 8_193, "")), true);
});
