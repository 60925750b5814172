import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "#/api/core/v1.ts";
import { encodeProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { storedJson } from "./stored-json.ts";
import { serve } from "./strategy.ts";

const codec = storedJson(serve(configMaps), schemaOf);
const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v" } };

test("storedJson() reads what it wrote", () => {
  assert.deepEqual(codec.decode(codec.encode(structuredClone(object)).bytes), object);
});

test("storedJson() reads the protobuf of an upstream server", () => {
  assert.deepEqual(codec.decode(encodeProtobuf(object, schemaOf(configMaps))), object);
});

test("storedJson() adds the kind to an object without one", () => {
  assert.deepEqual(codec.decode(Buffer.from('{"metadata":{"name":"a"},"data":{"k":"v"}}')), object);
});
