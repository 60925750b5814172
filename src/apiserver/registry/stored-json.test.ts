import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, type Pod } from "#/api/core/v1.ts";
import { encodeProtobuf } from "#/machinery/codec/protobuf-envelope.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { pod } from "../resources/core/pod/pod.ts";
import { storedJson } from "./stored-json.ts";
import { type Decoded, serve } from "./strategy.ts";

const codec = storedJson(serve(configMaps), schemaOf);
const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v" } };

test("storedJson() reads what it wrote", () => {
  assert.deepEqual(codec.decode(codec.encode(structuredClone(object)).bytes), object);
});

test("storedJson() reads the protobuf of an upstream server", () => {
  assert.deepEqual(codec.decode(encodeProtobuf(object, schemaOf(configMaps))), object);
});

test("storedJson() says of what kind an object is that doesn't", () => {
  assert.deepEqual(codec.decode(Buffer.from('{"metadata":{"name":"a"},"data":{"k":"v"}}')), object);
});

test("storedJson() reads pods alike whether others have the same spec or not, and shares it", () => {
  const stored = storedJson(pod, schemaOf);
  const args = new Array(100).fill("--verbose");
  const spec = { containers: [{ name: "a", image: "b", args }] };
  const bytes = (name: string, value: object): Uint8Array =>
    stored.encode({ kind: "Pod", apiVersion: "v1", metadata: { name }, spec: value } as never)
      .bytes;
  const read = (name: string, value: object) => stored.decode(bytes(name, value)) as Decoded<Pod>;
  const pods = ["a", "b", "c", "d"].map((name) => read(name, spec));
  for (const [index, { metadata, spec: own }] of pods.entries()) {
    assert.equal(metadata.name, "abcd"[index]);
    assert.deepEqual(own, pods[0]?.spec);
  }
  assert.equal(pods[3]?.spec, pods[2]?.spec);
  const other = read("e", { containers: [{ name: "a", image: "other", args }] });
  assert.equal(other.spec.containers[0]?.image, "other");
  const written = stored.encode(pods[3] as never).bytes;
  assert.deepEqual(stored.decode(written), pods[3]);
});
