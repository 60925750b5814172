import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "#/api/core/v1.ts";
import { bytesOfCut } from "#/machinery/codec/shape/list-pieces.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { storedJson } from "./stored-json.ts";
import { StoredObject } from "./stored-object.ts";
import { serve } from "./strategy.ts";

const codec = storedJson(serve(configMaps), schemaOf);
const uid = "11111111-2222-3333-4444-555555555555";
const labels = { app: "web" };
const jsonAt = (revision: number) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "ns", uid, resourceVersion: String(revision), labels },
  data: { k: "v" },
});

/** An object as it is read from the store. */
function storedAt(revision: number, bytes?: string): StoredObject {
  const { resourceVersion: _, ...metadata } = jsonAt(revision).metadata;
  const value = bytes ? Buffer.from(bytes) : codec.encode({ ...jsonAt(revision), metadata }).bytes;
  return new StoredObject(
    { key: "/registry/configmaps/ns/a", value, modRevision: revision },
    codec,
  );
}

const parse = ({ json }: StoredObject): unknown => JSON.parse(Buffer.from(json).toString());

test("StoredObject.json has the resourceVersion, and is parsed into the same object", () => {
  const stored = storedAt(7);
  assert.deepEqual(parse(stored), jsonAt(7));
  assert.deepEqual(stored.parsed(), jsonAt(7));
});

const origins: readonly [string, () => StoredObject][] = [
  ["bytes of the store", () => storedAt(7)],
  ["JSON that was sent", () => asked(storedAt(7))],
  ["bytes that another server wrote", () => storedAt(7, ` ${JSON.stringify(jsonAt(3))}`)],
  ["a version that was retired", () => retired(storedAt(7))],
  ["what was made of an earlier one itself", () => storedAt(6).at(7)],
];

for (const [origin, make] of origins) {
  test(`StoredObject.at() is the same content under a later revision, from ${origin}`, () => {
    assert.deepEqual(parse(make().at(9)), jsonAt(9));
    assert.deepEqual(make().at(9).parsed(), jsonAt(9));
    assert.equal(make().at(9).sizeBytes, make().sizeBytes);
  });
}

test("StoredObject.at() leaves the earlier version as it was", () => {
  const stored = asked(storedAt(7));
  stored.parsed();
  stored.at(9).parsed();
  assert.deepEqual(stored.parsed(), jsonAt(7));
  assert.deepEqual(parse(stored), jsonAt(7));
});

test("StoredObject.retire() drops the parsed form; labels and bytes are still available", () => {
  const stored = storedAt(7);
  const object = stored.parsed();
  stored.retire();
  assert.deepEqual(stored.labels, labels);
  assert.deepEqual(parse(stored), jsonAt(7));
  assert.notEqual(stored.parsed(), object);
  assert.deepEqual(stored.parsed(), object);
});

function asked(stored: StoredObject): StoredObject {
  stored.json;
  return stored;
}

function retired(stored: StoredObject): StoredObject {
  stored.parsed();
  stored.retire();
  return stored;
}

test("StoredObject.writtenField() returns the bytes of a field if its value is identical, in both forms", () => {
  const data = { k: "v".repeat(1000) };
  const { resourceVersion: _, ...metadata } = { ...jsonAt(7).metadata, name: "n".repeat(600) };
  const object = { ...jsonAt(7), metadata, data };
  const { bytes: value, places } = codec.encode(object);
  const stored = new StoredObject({ key: "/a", value, modRevision: 7 }, codec, object, places);
  for (const form of [stored, asked(stored)]) {
    const bytes = form.writtenField("data", data);
    assert.ok(bytes);
    assert.deepEqual(JSON.parse(Buffer.from(bytes).toString()), data);
    assert.equal(form.writtenField("data", { ...data }), undefined);
    assert.equal(form.writtenField("metadata", metadata), undefined);
    assert.equal(form.writtenField("binaryData", undefined), undefined);
  }
});

const { head: _, ...sorting } = codec;
for (const [where, own] of [
  ["within the JSON", codec],
  ["made by itself for custom resources", sorting],
] as const) {
  test(`StoredObject.metadataCut is ${where}, and the same after all caches were dropped`, () => {
    const { key, revision: modRevision, json: value } = storedAt(7);
    const stored = new StoredObject({ key, modRevision, value }, own);
    const first = bytesOfCut(stored.metadataCut);
    assert.deepEqual(JSON.parse(Buffer.from(first).toString()), jsonAt(7).metadata);
    stored.retire();
    const again = bytesOfCut(stored.metadataCut);
    assert.deepEqual(again, first);
    assert.notEqual(again, first, "it is not kept");
  });
}

test("StoredObject.peek() is the cached object while there is room for it", () => {
  const stored = storedAt(7);
  assert.equal(stored.peek(), stored.parsed());
  stored.forgetParsed();
  assert.deepEqual(stored.peek(), jsonAt(7));
});

test("StoredObject caches neither objects nor encodings beyond the limit", () => {
  const text = "x".repeat(1 << 20);
  const big = (): StoredObject => storedAt(7, JSON.stringify({ ...jsonAt(7), data: { k: text } }));
  const many = Array.from({ length: 100 }, big);
  const peeks = many.map((stored) => stored.peek());
  assert.ok(many.some((stored, index) => stored.peek() !== peeks[index]));
  assert.equal(many[0]?.peek(), peeks[0]);
  for (const { labels: own } of many) assert.deepEqual(own, labels);
  const make = () => Buffer.alloc(1 << 20);
  const forms = many.map((stored) => stored.encoded("form", make));
  assert.equal(many[0]?.encoded("form", make), forms[0]);
  assert.ok(many.some((stored, index) => stored.encoded("form", make) !== forms[index]));
  for (const stored of many) stored.retire();
});
