import assert from "node:assert/strict";
import { test } from "node:test";
import { frameMessage, MessageReader } from "./grpc-message.ts";

const texts = ["one", "", "a longer one", "x".repeat(5000)];
const wire = Buffer.concat(
  texts.map((text) => frameMessage((writer) => writer.raw(Buffer.from(text)))),
);

for (const step of [1, 2, 5, 7, 100, wire.length]) {
  test(`MessageReader finds every message in chunks of ${step} bytes`, () => {
    const reader = new MessageReader(5000);
    const found: string[] = [];
    for (let at = 0; at < wire.length; at += step) {
      for (const message of reader.read(wire.subarray(at, at + step))) found.push(String(message));
    }
    assert.deepEqual(found, texts);
  });
}

test("MessageReader refuses a message that is too large before it has arrived", () => {
  const read = () => [...new MessageReader(10).read(Buffer.from([0, 0, 0, 0, 11]))];
  const details = "Received message larger than max (11 vs 10)";
  assert.throws(read, { code: "RESOURCE_EXHAUSTED", details });
});

test("MessageReader refuses a compressed message", () => {
  const read = () => [...new MessageReader(10).read(Buffer.from([1, 0, 0, 0, 1, 0]))];
  assert.throws(read, { code: "INTERNAL" });
});
