import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyDecoder } from "./body-decoder.ts";
import { HeadBuffer } from "./head-buffer.ts";
import { type BodyLength, MessageError } from "./message-head.ts";

/** The body and the rest of a text that arrives in pieces of a size. */
function decode(length: BodyLength, text: string, pieceBytes: number) {
  const decoder = new BodyDecoder(length);
  let body = "";
  let rest = "";
  const reader = {
    chunk(bytes: Buffer) {
      body += bytes.toString();
    },
    end: () => undefined,
  };
  for (let at = 0; at < text.length; at += pieceBytes) {
    const piece = Buffer.from(text.slice(at, at + pieceBytes));
    rest += decoder.isDone ? piece : (decoder.push(piece, reader) ?? "").toString();
  }
  return { body, rest, isDone: decoder.isDone };
}

for (const pieceBytes of [1, 3, 1000]) {
  test(`BodyDecoder finds the end of a body in pieces of ${pieceBytes} bytes`, () => {
    assert.deepEqual(decode(3, "abcdef", pieceBytes), { body: "abc", rest: "def", isDone: true });
    const chunks = "3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\nx: y\r\n\r\nrest";
    const whole = { body: "abc0123456789", rest: "rest", isDone: true };
    assert.deepEqual(decode("chunked", chunks, pieceBytes), whole);
    const open = { body: "abc", rest: "", isDone: false };
    assert.deepEqual(decode("until close", "abc", pieceBytes), open);
  });
}

for (const { name, text } of [
  { name: "no size", text: "\r\nabc" },
  { name: "a size with sign", text: "-3\r\nabc" },
  { name: "a size in 0x", text: "0x3\r\nabc\r\n" },
  { name: "a bare LF after a size", text: "3\nabc\r\n" },
  { name: "a chunk longer than its size", text: "3\r\nabcd\r\n" },
  { name: "a huge size", text: "fffffffffffffffff\r\n" },
  { name: "an endless extension", text: `3;${"x".repeat(10_000)}` },
  { name: "endless trailers", text: `0\r\n${"x: y\r\n".repeat(5_000)}` },
]) {
  test(`BodyDecoder refuses ${name}`, () => {
    assert.throws(() => decode("chunked", text, 1000), MessageError);
  });
}

test("HeadBuffer finds the end of a head, however it arrives", () => {
  const text = "GET / HTTP/1.1\r\nhost: a\r\n\r\nrest";
  for (const pieceBytes of [1, 5, 100]) {
    const head = new HeadBuffer(1000);
    const found = [];
    for (let at = 0; at < text.length && found.length === 0; at += pieceBytes) {
      const one = head.push(Buffer.from(text.slice(at, at + pieceBytes)));
      if (one) found.push(one.text);
    }
    assert.deepEqual(found, ["GET / HTTP/1.1\r\nhost: a"]);
  }
});

test("HeadBuffer refuses long heads and lines without CR", () => {
  assert.throws(() => new HeadBuffer(10).push(Buffer.from("x".repeat(11))), { status: 431 });
  assert.throws(() => new HeadBuffer(10).push(Buffer.from("x".repeat(20).concat("\r\n\r\n"))), {
    status: 431,
  });
  assert.throws(() => new HeadBuffer(100).push(Buffer.from("GET / HTTP/1.1\nhost: a\n\n")), {
    status: 400,
  });
});
