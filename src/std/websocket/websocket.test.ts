import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { encodeFrame, FrameDecoder, opcodes, ProtocolError } from "./frames.ts";
import { acceptKey, agreement, offeredProtocols } from "./handshake.ts";
import { WebSocket } from "./websocket.ts";

test("acceptKey() is RFC 6455's", () => {
  assert.equal(acceptKey("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  assert.match(agreement("x", "p"), /\r\nSec-WebSocket-Protocol: p\r\n\r\n$/);
  assert.deepEqual(offeredProtocols("a, b ,"), ["a", "b"]);
});

for (const size of [0, 1, 125, 126, 65_535, 65_536, 100_000]) {
  for (const masked of [false, true]) {
    test(`a frame of ${size} bytes${masked ? ", masked," : ""} is read in pieces of any size`, () => {
      const payload = Buffer.alloc(size, "abc");
      const bytes = encodeFrame(opcodes.binary, payload, { masked });
      const decoder = new FrameDecoder(1_000_000, { masked });
      const step = Math.max(1, Math.floor(bytes.length / 7));
      const frames = [];
      for (let at = 0; at < bytes.length; at += step) {
        frames.push(...decoder.push(bytes.subarray(at, at + step)));
      }
      assert.deepEqual(frames, [{ opcode: opcodes.binary, final: true, payload }]);
    });
  }
}

test("WebSocket carries messages both ways, answers pings, and ends", async () => {
  const [a, b] = duplexPair();
  const client = new WebSocket(a, { role: "client" });
  const server = new WebSocket(b, { role: "server" });
  const echo = (async () => {
    for await (const { isText, data } of server.messages()) {
      await server.send(isText ? data.toString().toUpperCase() : data);
    }
  })();
  await client.ping();
  await client.send("hello");
  await client.send(Buffer.from([1, 2, 3]));
  const seen: string[] = [];
  for await (const { isText, data } of client.messages()) {
    seen.push(isText ? data.toString() : data.toString("hex"));
    if (seen.length === 2) client.close();
  }
  assert.deepEqual(seen, ["HELLO", "010203"]);
  await echo;
});

test("WebSocket joins fragments, and refuses messages over the limit", async () => {
  const [a, b] = duplexPair();
  const client = new WebSocket(b, {
    role: "client",
    maxMessageBytes: 10,
    head: Buffer.from([1, 1, 0x61]),
  });
  a.write(Buffer.from([0x80, 2, 0x62, 0x63]));
  const messages = client.messages();
  assert.deepEqual((await messages.next()).value, { isText: true, data: Buffer.from("abc") });
  a.write(encodeFrame(opcodes.binary, Buffer.alloc(11)));
  await assert.rejects(messages.next(), { message: "websocket: frame is too long" });
});

test("WebSocket.messages() throws when the peer disconnects without a close frame", async () => {
  const [a, b] = duplexPair();
  const server = new WebSocket(b, { role: "server" });
  a.end();
  await assert.rejects(server.messages().next(), {
    message: "websocket: close 1006 (abnormal closure): unexpected EOF",
  });
});

const refused: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["reserved bits", [0xc1, 0]],
  ["an opcode that means nothing", [0x83, 0]],
  ["a control frame in parts", [0x09, 0]],
  ["a control frame that is too long", [0x89, 126, 0, 200]],
  [
    "a frame that is longer than numbers are exact",
    [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255],
  ],
];
for (const [name, bytes] of refused) {
  test(`FrameDecoder refuses ${name}`, () => {
    assert.throws(
      () => new FrameDecoder(1000, { masked: false }).push(Buffer.from(bytes)),
      ProtocolError,
    );
  });
}

for (const [name, bytes] of [
  ["a continuation of nothing", [0x80, 0]],
  ["a message within another", [0x01, 0, 0x81, 0]],
] as const) {
  test(`WebSocket refuses ${name}`, async () => {
    const [a, b] = duplexPair();
    a.write(Buffer.from(bytes));
    await assert.rejects(new WebSocket(b, { role: "client" }).messages().next(), ProtocolError);
  });
}

test("WebSocket joins thousands of fragments, empty ones among them", async () => {
  const [a, b] = duplexPair();
  const start = Buffer.from([0x02, 1, 0x61]);
  const fragments = Array(5000).fill(Buffer.from([0x00, 1, 0x62, 0x00, 0]));
  a.write(Buffer.concat([start, ...fragments, Buffer.from([0x80, 0])]));
  const { value } = await new WebSocket(b, { role: "client" }).messages().next();
  assert.equal(value?.data.toString(), `a${"b".repeat(5000)}`);
});

// RFC 6455, section 5.1; 1002 is a protocol error.
for (const [role, masked] of [
  ["server", false],
  ["client", true],
] as const) {
  test(`WebSocket closes with 1002 when a ${role} is sent a frame that is ${masked ? "" : "not "}masked`, async () => {
    const [a, b] = duplexPair();
    a.write(encodeFrame(opcodes.text, Buffer.from("x"), { masked }));
    const socket = new WebSocket(b, { role });
    await assert.rejects(socket.messages().next(), { message: "websocket: incorrect mask flag" });
    const frames = new FrameDecoder(1000, { masked: role === "client" });
    const [answer] = frames.push(Buffer.concat(await a.toArray()));
    assert.equal(answer?.opcode, opcodes.close);
    assert.deepEqual(answer?.payload, Buffer.of(0x03, 0xea));
    a.destroy();
  });
}
