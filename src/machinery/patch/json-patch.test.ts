import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { applyJsonPatch, decodeJsonPatch } from "./json-patch.ts";
import { PatchError } from "./values/patch-error.ts";

const document = { map: { a: 1, n: null }, list: ["x", "y"], text: "t" };

/** The patched document, or the message of the PatchError. */
function patched(...operations: object[]): unknown {
  try {
    return applyJsonPatch(document, operations as Record<string, unknown>[]);
  } catch (error) {
    assert.ok(error instanceof PatchError);
    assert.equal(error.code, 422);
    return error.message;
  }
}

describe("applyJsonPatch() fails with the messages of evanphx/json-patch", () => {
  const cases: readonly [operation: object, message: string][] = [
    [
      { op: "add", path: "/no/x", value: 1 },
      'add operation does not apply: doc is missing path: "/no/x": missing value',
    ],
    [
      { op: "add", path: "/list/x", value: 1 },
      `error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    [
      { op: "add", path: "/list/3", value: 1 },
      "error in add for path: '/list/3': Unable to access invalid index: 3: invalid index referenced",
    ],
    [{ op: "add", value: 1 }, "add operation failed to decode path: missing value"],
    [
      { op: "remove", path: "/map/b" },
      "error in remove for path: '/map/b': Unable to remove nonexistent key: b: missing value",
    ],
    [
      { op: "remove", path: "/list/-" },
      `error in remove for path: '/list/-': strconv.Atoi: parsing "-": invalid syntax`,
    ],
    [
      { op: "replace", path: "/list/2", value: 1 },
      "replace operation does not apply: doc is missing key: /list/2: missing value",
    ],
    [
      { op: "replace", path: "/text/x", value: 1 },
      "replace operation does not apply: doc is missing path: /text/x: missing value",
    ],
    [
      { op: "replace", value: 1 },
      "replace operation failed to decode path: operation missing path field: missing value",
    ],
    [
      { op: "move", from: "/map/b", path: "/map/c" },
      "error in move for path: 'b': Unable to remove nonexistent key: b: missing value",
    ],
    [
      { op: "move", from: "/map/a", path: "/no/x" },
      "move operation does not apply: doc is missing destination path: /no/x: missing value",
    ],
    [
      { op: "move", path: "/map/c" },
      "move operation failed to decode from: operation, missing from field: missing value",
    ],
    [
      { op: "copy", from: "/list/9", path: "/map/c" },
      "error in copy for from: '/list/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [
      { op: "copy", from: "/map/a", path: "/list/9" },
      "error while adding value during copy: Unable to access invalid index: 9: invalid index referenced",
    ],
    [{ op: "test", path: "/map/a", value: 2 }, "testing value /map/a failed: test failed"],
    [{ op: "test", path: "", value: {} }, "testing value  failed: test failed"],
    [
      { op: "test", path: "/no/x", value: 2 },
      "test operation does not apply: is missing path: /no/x: missing value",
    ],
    [{ op: "merge", path: "/map" }, "Unexpected kind: merge"],
    [{}, "Unexpected kind: unknown"],
  ];
  for (const [operation, message] of cases) {
    test(JSON.stringify(operation), () => assert.equal(patched(operation), message));
  }
});

test("applyJsonPatch() does not change its input and shares unchanged parts", () => {
  const before = structuredClone(document);
  const result = patched(
    { op: "add", path: "/map/b", value: { c: 1 } },
    { op: "add", path: "/map/b/d", value: 2 },
    { op: "copy", from: "/map/b", path: "/copied" },
    { op: "replace", path: "/copied/c", value: 9 },
    { op: "remove", path: "/map/b/c" },
  );
  assert.deepEqual(document, before);
  assert.deepEqual(result, {
    ...before,
    map: { a: 1, n: null, b: { d: 2 } },
    copied: { c: 9, d: 2 },
  });
  assert.equal((result as typeof document).list, document.list);
});

test("applyJsonPatch() does not change the values of the operations", () => {
  const value = { a: [1] };
  patched({ op: "add", path: "/v", value }, { op: "add", path: "/v/a/-", value: 2 });
  assert.deepEqual(value, { a: [1] });
});

test("applyJsonPatch() treats prototype keys as data", () => {
  const result = patched({ op: "add", path: "/__proto__", value: { polluted: true } });
  assert.equal((result as { polluted?: boolean }).polluted, undefined);
  assert.equal(
    JSON.stringify(result),
    JSON.stringify({ ...document }).replace(/}$/, ',"__proto__":{"polluted":true}}'),
  );
  assert.equal(
    patched({ op: "test", path: "/constructor/name", value: "Object" }),
    "test operation does not apply: is missing path: /constructor/name: missing value",
  );
});

test("applyJsonPatch() limits depth, copies and moves", () => {
  const nest = Array.from({ length: 1500 }, () => ({ op: "copy", from: "/map", path: "/map/z" }));
  assert.match(String(patched(...nest)), /max depth|accumulated size/);
  const list = new Array(20_000).fill(0);
  const inserts = Array.from({ length: 10_000 }, () => ({ op: "add", path: "/list/0", value: 1 }));
  assert.throws(() => applyJsonPatch({ list }, inserts), /too many items to move/);
});

test("decodeJsonPatch() reports unknown fields only where they are checked", () => {
  const patch = [{ op: "add", path: "/a", value: 1, more: 2 }];
  assert.deepEqual(decodeJsonPatch(patch, { checked: true }).strictErrors, [
    'json patch unknown field "[0].more"',
  ]);
  assert.deepEqual(decodeJsonPatch(patch, { checked: false }).strictErrors, []);
});

test("applyJsonPatch() throws only PatchError for any operations", () => {
  const part = fc.constantFrom("map", "a", "list", "0", "-", "-1", "__proto__", "~0", "", "9");
  const path = fc
    .array(part, { maxLength: 4 })
    .map((parts) => parts.map((each) => `/${each}`).join(""));
  const operation = fc.record({
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "x"),
    path,
    from: path,
    value: fc.jsonValue({ maxDepth: 3 }),
  });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 8 }), (operations) => {
      const before = structuredClone(document);
      const result = patched(...operations);
      assert.deepEqual(document, before);
      if (typeof result === "object") assert.equal(Object.getPrototypeOf({}).polluted, undefined);
    }),
    { seed: 20260731, numRuns: 500 },
  );
});
