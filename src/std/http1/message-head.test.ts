import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageError, readRequestHead, readResponseHead } from "./message-head.ts";

const status = (read: () => unknown): number | "read" => {
  try {
    read();
    return "read";
  } catch (error) {
    assert.ok(error instanceof MessageError);
    return error.status;
  }
};

for (const { name, line = "GET / HTTP/1.1", fields = "Host: a", expected } of [
  { name: "an ordinary head", expected: "read" },
  { name: "no Host", fields: "x: y", expected: 400 },
  { name: "no Host in HTTP/1.0", line: "GET / HTTP/1.0", fields: "x: y", expected: "read" },
  { name: "two Hosts", fields: "Host: a\r\nhost: a", expected: 400 },
  {
    name: "two equal lengths",
    fields: "Host: a\r\nContent-Length: 1\r\nContent-Length: 1",
    expected: 400,
  },
  { name: "a list of lengths", fields: "Host: a\r\nContent-Length: 1, 1", expected: 400 },
  { name: "a length with sign", fields: "Host: a\r\nContent-Length: +1", expected: 400 },
  { name: "a length in hex", fields: "Host: a\r\nContent-Length: 0x1", expected: 400 },
  {
    name: "a length and chunks",
    fields: "Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
    expected: 400,
  },
  {
    name: "chunks in HTTP/1.0",
    line: "GET / HTTP/1.0",
    fields: "Transfer-Encoding: chunked",
    expected: 400,
  },
  {
    name: "chunks twice",
    fields: "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    expected: 501,
  },
  { name: "an unknown encoding", fields: "Host: a\r\nTransfer-Encoding: xchunked", expected: 501 },
  {
    name: "an encoding before chunks",
    fields: "Host: a\r\nTransfer-Encoding: gzip, chunked",
    expected: 501,
  },
  {
    name: "a vertical tab before chunks",
    fields: "Host: a\r\nTransfer-Encoding: \vchunked",
    expected: 400,
  },
  { name: "a space before a colon", fields: "Host: a\r\nx : y", expected: 400 },
  { name: "a folded field", fields: "Host: a\r\nx: y\r\n z", expected: 400 },
  { name: "a bare LF", fields: "Host: a\r\nx: y\nz: 1", expected: 400 },
  { name: "a bare CR", fields: "Host: a\r\nx: y\rz: 1", expected: 400 },
  { name: "a NUL", fields: "Host: a\r\nx: y\0", expected: 400 },
  { name: "a field without name", fields: "Host: a\r\n: y", expected: 400 },
  { name: "a line without colon", fields: "Host: a\r\nx", expected: 400 },
  { name: "HTTP/2 as text", line: "GET / HTTP/2.0", expected: 400 },
  { name: "two spaces", line: "GET  / HTTP/1.1", expected: 400 },
  { name: "a tab", line: "GET\t/ HTTP/1.1", expected: 400 },
  { name: "a space in the target", line: "GET /a b HTTP/1.1", expected: 400 },
  { name: "no version", line: "GET /", expected: 400 },
]) {
  test(`readRequestHead(): ${name}`, () => {
    assert.equal(
      status(() => readRequestHead(`${line}\r\n${fields}`)),
      expected,
    );
  });
}

test("readRequestHead() reads fields, their names in lower case", () => {
  const head = readRequestHead("POST /x?y HTTP/1.1\r\nHost: a\r\nX-A:  1 \r\ncontent-length: 12");
  assert.deepEqual(
    [head.method, head.target, head.host, head.body, head.keepsConnection],
    ["POST", "/x?y", "a", 12, true],
  );
  assert.deepEqual(head.fields, ["host", "a", "x-a", "1", "content-length", "12"]);
});

for (const { line, connection, expected } of [
  { line: "GET / HTTP/1.1", connection: "close", expected: false },
  { line: "GET / HTTP/1.1", connection: "x, Close", expected: false },
  { line: "GET / HTTP/1.0", connection: "", expected: false },
  { line: "GET / HTTP/1.0", connection: "Keep-Alive", expected: true },
]) {
  test(`readRequestHead(): ${line} with connection "${connection}" keeps it: ${expected}`, () => {
    const field = connection ? `\r\nConnection: ${connection}` : "";
    assert.equal(readRequestHead(`${line}\r\nHost: a${field}`).keepsConnection, expected);
  });
}

for (const { name, text, method = "GET", body } of [
  { name: "a length", text: "HTTP/1.1 200 OK\r\ncontent-length: 3", body: 3 },
  { name: "chunks", text: "HTTP/1.1 200\r\ntransfer-encoding: Chunked", body: "chunked" },
  { name: "neither", text: "HTTP/1.1 200 ", body: "until close" },
  { name: "no content", text: "HTTP/1.1 204 No Content\r\ncontent-length: 3", body: 0 },
  { name: "HEAD", text: "HTTP/1.1 200 OK\r\ncontent-length: 3", method: "HEAD", body: 0 },
]) {
  test(`readResponseHead(): ${name}`, () => {
    assert.equal(readResponseHead(text, method).body, body);
  });
}

test("readResponseHead() refuses two lengths of a body", () => {
  const text = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked";
  assert.equal(
    status(() => readResponseHead(text, "GET")),
    502,
  );
});
