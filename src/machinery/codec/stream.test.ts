import assert from "node:assert/strict";
import test from "node:test";
import type { StructSchema } from "#/api/base/schema.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { readWatchFrame } from "#/testing/read-watch-frame.ts";
import { encodeJson } from "./json/encode-json.ts";
import { jsonList, jsonWatchFrame } from "./json/json-stream.ts";
import { encodeProtobuf } from "./protobuf/protobuf-envelope.ts";
import { protobufList, protobufWatchFrame } from "./protobuf/protobuf-stream.ts";
import type { ListForm } from "./shape/list-form.ts";
import { listChunks } from "./shape/list-pieces.ts";

/** Size of the length before each frame (bytes). */
const frameHeaderBytes = 4;

const pod = getSchema("Pod");
const podList = getSchema("PodList");
const form: ListForm = { apiVersion: "v1", kind: "PodList", itemKind: "Pod", unstructured: false };

function getSchema(kind: string): StructSchema {
  const schema = findSchema("", "v1", kind);
  assert.ok(schema);
  return schema;
}

function podNamed(name: string): Record<string, unknown> {
  return { kind: "Pod", apiVersion: "v1", metadata: { name }, spec: { containers: [] } };
}

const metadatas = [
  {},
  { resourceVersion: "12" },
  { resourceVersion: "12", continue: "abc", remainingItemCount: 3 },
];
for (const count of [0, 1, 3]) {
  for (const metadata of metadatas) {
    test(`lists of ${count} with ${JSON.stringify(metadata)} are equal to encoding them as a whole`, () => {
      const pods = Array.from({ length: count }, (_, i) => podNamed(`pod-${i}`));
      const items = pods.map(({ kind: _, apiVersion: __, ...item }) => item);
      const whole = { kind: "PodList", apiVersion: "v1", metadata, items };
      const json = pods.map((item) => encodeJson(item, pod));
      assert.equal(
        Buffer.concat(listChunks(jsonList(form, metadata, json))).toString(),
        encodeJson(whole, podList).toString(),
      );
      const protobuf = pods.map((item) => encodeProtobuf(item, pod));
      assert.deepEqual(
        Buffer.concat(listChunks(protobufList(form, metadata, protobuf))),
        Buffer.from(encodeProtobuf(whole, podList)),
      );
    });
  }
}

test("jsonList() sorts the keys of custom lists and keeps their items complete", () => {
  const custom: ListForm = {
    apiVersion: "a.io/v1",
    kind: "AList",
    itemKind: "A",
    unstructured: true,
  };
  const items = [
    '{"apiVersion":"a.io/v1","kind":"A"}\n',
    '{"apiVersion":"a.io/v1","kind":"A","x":1}\n',
  ];
  const pieces = jsonList(
    custom,
    { resourceVersion: "1", continue: "c" },
    items.map((item) => Buffer.from(item)),
  );
  assert.equal(
    Buffer.concat(listChunks(pieces)).toString(),
    '{"apiVersion":"a.io/v1","items":[{"apiVersion":"a.io/v1","kind":"A"},{"apiVersion":"a.io/v1","kind":"A","x":1}],"kind":"AList","metadata":{"continue":"c","resourceVersion":"1"}}\n',
  );
});

test("jsonWatchFrame() wraps an encoded object", () => {
  const object = encodeJson(podNamed("a"), pod);
  const frame = jsonWatchFrame("MODIFIED", object).toString();
  assert.equal(frame, `{"type":"MODIFIED","object":${object.toString().trimEnd()}}\n`);
});

test("protobufWatchFrame() and readWatchFrame() agree", () => {
  const object = Buffer.from(encodeProtobuf(podNamed("a"), pod));
  const frame = Buffer.from(protobufWatchFrame("DELETED", object));
  assert.equal(frame.readUInt32BE(0), frame.length - frameHeaderBytes);
  const event = readWatchFrame(frame.subarray(frameHeaderBytes));
  assert.deepEqual([event.type, Buffer.from(event.object)], ["DELETED", object]);
});
