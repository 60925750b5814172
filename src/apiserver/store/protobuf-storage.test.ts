import assert from "node:assert/strict";
import { test } from "node:test";
import { openProtobufBody } from "#/machinery/codec/object-body.ts";
import { isProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { protobufStorage } from "./protobuf-storage.ts";
import { toProtobuf } from "./to-protobuf.ts";

const bytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
const pod = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default", labels: { app: "a" } },
  spec: { containers: [{ name: "a", image: "a:1", ports: [{ containerPort: 80 }] }] },
};

test("toProtobuf() writes built-in kinds in protobuf, with everything that they have", () => {
  const stored = toProtobuf(bytes(pod));
  assert.ok(isProtobuf(stored));
  const schema = findSchema("", "v1", "Pod");
  assert.ok(schema);
  const { value } = openProtobufBody(stored).decode<typeof pod>(schema, false);
  assert.equal(value.metadata.labels.app, "a");
  assert.equal(value.spec.containers[0]?.ports[0]?.containerPort, 80);
});

for (const [name, value] of [
  ["a custom resource", { kind: "Widget", apiVersion: "example.org/v1", spec: {} }],
  [
    "a CustomResourceDefinition",
    { kind: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1" },
  ],
  ["an APIService", { kind: "APIService", apiVersion: "apiregistration.k8s.io/v1" }],
] as const) {
  test(`toProtobuf() leaves ${name} in JSON, as upstream does`, () => {
    const json = bytes(value);
    assert.equal(toProtobuf(json), json);
  });
}

test("protobufStorage() stores protobuf, and its watch has the JSON of its own writes", async () => {
  const inner = new MemoryStorage();
  await using storage = protobufStorage(inner);
  const stop = new AbortController();
  const value = bytes(pod);
  const after = await storage.revision();
  await storage.put("/registry/pods/default/a", value, { expect: "absent" });
  assert.ok(isProtobuf((await inner.get("/registry/pods/default/a")).entry?.value ?? value));
  for await (const { events } of storage.watch("/registry/", { after, signal: stop.signal })) {
    const [event] = events;
    if (event?.type !== "put") continue;
    assert.equal(event.entry.value, value);
    break;
  }
  stop.abort();
});
