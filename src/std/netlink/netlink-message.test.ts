import assert from "node:assert/strict";
import { test } from "node:test";
import { acknowledge, decodeAttributes, encodeMessage, errorOf } from "./netlink-message.ts";

const header = Buffer.from([2, 0, 0, 0]);

test("encodeMessage() aligns attributes, and decodeAttributes() finds them", () => {
  const attributes = [
    { type: 1, value: Buffer.from("abcde") },
    { type: 2, value: [{ type: 3, value: Buffer.from([7]) }] },
  ];
  const message = encodeMessage({ type: 0x102, flags: acknowledge, header, attributes });
  assert.equal(
    message.toString("hex"),
    "2c000000020105000000000000000000020000000900010061626364650000000c0002800500030007000000",
  );
  const found = decodeAttributes(message, header.length);
  assert.equal(found.get(1)?.toString(), "abcde");
  assert.deepEqual([...found.keys()], [1, 2]);
});

test("decodeAttributes() ends at an attribute without length", () => {
  const message = Buffer.concat([
    encodeMessage({ type: 1, flags: 0, header, attributes: [] }),
    Buffer.alloc(8),
  ]);
  assert.equal(decodeAttributes(message, header.length).size, 0);
});

test("errorOf() is the positive error number, and 0 for other answers", () => {
  const failed = Buffer.from("24000000020000010000000000000000feffffff", "hex");
  assert.equal(errorOf(failed), 2);
  assert.equal(errorOf(encodeMessage({ type: 0x701, flags: 0, header, attributes: [] })), 0);
});
