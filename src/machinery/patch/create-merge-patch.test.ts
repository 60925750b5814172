import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMergePatch, createThreeWayMergePatch } from "./create-merge-patch.ts";
import {
  PreconditionFailed,
  requireKeyUnchanged,
  requireMetadataKeyUnchanged,
} from "./preconditions.ts";
import type { JsonObject } from "./values/json-value.ts";

test("createMergePatch() contains only differences", () => {
  const original = { same: { a: 1 }, gone: 1, list: [1], deep: { a: 1, b: 2 } };
  const modified = { same: { a: 1 }, list: [1, 2], deep: { a: 1, b: 3 }, fresh: {} };
  assert.deepEqual(createMergePatch(original, modified), {
    gone: null,
    list: [1, 2],
    deep: { b: 3 },
    fresh: {},
  });
});

describe("createThreeWayMergePatch()", () => {
  const cases: readonly {
    name: string;
    original: JsonObject;
    modified: JsonObject;
    current: JsonObject;
    patch: JsonObject;
  }[] = [
    { name: "adds", original: {}, modified: { a: 1 }, current: {}, patch: { a: 1 } },
    {
      name: "removes fields that it had before",
      original: { a: 1 },
      modified: {},
      current: { a: 1, b: 2 },
      patch: { a: null },
    },
    {
      name: "keeps fields that others added",
      original: {},
      modified: {},
      current: { b: 2 },
      patch: {},
    },
    {
      name: "overrides changes of others",
      original: { a: 1 },
      modified: { a: 1 },
      current: { a: 2 },
      patch: { a: 1 },
    },
    {
      name: "removes fields that are already missing",
      original: { a: { b: 1 } },
      modified: { a: {} },
      current: {},
      patch: { a: { b: null } },
    },
    {
      name: "compares nested fields",
      original: { a: { b: 1, c: 1 } },
      modified: { a: { c: 2 } },
      current: { a: { b: 1, c: 1, d: 1 } },
      patch: { a: { b: null, c: 2 } },
    },
  ];
  for (const { name, patch, ...documents } of cases) {
    test(name, () => assert.deepEqual(createThreeWayMergePatch(documents), patch));
  }
});

test("createThreeWayMergePatch() checks preconditions", () => {
  const documents = {
    original: {},
    modified: { kind: "B", metadata: { name: "b" } },
    current: { kind: "A" },
  };
  const refuse = (precondition: ReturnType<typeof requireKeyUnchanged>) => () =>
    createThreeWayMergePatch(documents, [precondition]);
  assert.throws(refuse(requireKeyUnchanged("kind")), PreconditionFailed);
  assert.throws(
    refuse(requireMetadataKeyUnchanged("name")),
    new PreconditionFailed({ kind: "B", metadata: { name: "b" } }),
  );
  assert.doesNotThrow(refuse(requireMetadataKeyUnchanged("uid")));
});
