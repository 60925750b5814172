import assert from "node:assert/strict";
import { test } from "node:test";
import { type HttpResponse, ResponseReader } from "./response-reader.ts";

interface Answer {
  readonly name: string;
  readonly method?: string;
  readonly text: string;
  /** Whether the connection ends after it. */
  readonly ends?: boolean;
  readonly response: Omit<HttpResponse, "body"> & { readonly body: string };
}

const answers: readonly Answer[] = [
  {
    name: "a body with a length",
    text: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhëllo",
    response: {
      status: 200,
      headers: { "content-type": "text/plain", "content-length": "6" },
      body: "hëllo",
      keepsConnection: true,
    },
  },
  {
    name: "a body in chunks, with extensions and a trailer",
    text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nA \r\n0123456789\r\n0\r\nX: y\r\n\r\n",
    response: {
      status: 200,
      headers: { "transfer-encoding": "chunked" },
      body: "hello0123456789",
      keepsConnection: true,
    },
  },
  {
    name: "a body until the end of the connection",
    text: "HTTP/1.1 404 Not Found\r\nA:1\r\na:  2\t\r\n\r\ngone",
    ends: true,
    response: { status: 404, headers: { a: "1, 2" }, body: "gone", keepsConnection: false },
  },
  {
    name: "no body, after an informational response",
    text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204\r\nConnection: Close\r\n\r\n",
    response: {
      status: 204,
      headers: { connection: "Close" },
      body: "",
      keepsConnection: false,
    },
  },
  {
    name: "an old server's response to HEAD",
    method: "HEAD",
    text: "HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\n",
    response: {
      status: 200,
      headers: { "content-length": "6" },
      body: "",
      keepsConnection: false,
    },
  },
];

for (const { name, method = "GET", text, ends = false, response } of answers) {
  for (const size of [1, 7, Number.POSITIVE_INFINITY]) {
    test(`ResponseReader reads ${name}, ${size} bytes at a time`, () => {
      const reader = new ResponseReader(method);
      const bytes = Buffer.from(text);
      let read: HttpResponse | undefined;
      for (let at = 0; at < bytes.length; at += size) {
        assert.equal(read, undefined);
        read = reader.push(bytes.subarray(at, at + size));
      }
      if (ends) read = reader.end();
      assert.deepEqual(read && { ...read, body: read.body.toString() }, response);
    });
  }
}

for (const { text, message } of [
  { text: "SSH-2.0-OpenSSH\r\n\r\n", message: 'malformed HTTP response "SSH-2.0-OpenSSH"' },
  { text: "HTTP/1.1 20\r\n\r\n", message: 'malformed HTTP response "HTTP/1.1 20"' },
  { text: "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", message: "malformed MIME header line: nonsense" },
  {
    text: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    message: 'bad Content-Length "-1"',
  },
  {
    text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    message: "invalid byte in chunk length",
  },
  {
    text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    message: "malformed chunked encoding",
  },
]) {
  test(`ResponseReader refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => new ResponseReader("GET").push(Buffer.from(text)), { message });
  });
}

test("ResponseReader.end() returns no incomplete response", () => {
  const reader = new ResponseReader("GET");
  reader.push(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhel"));
  assert.equal(reader.end(), undefined);
});

test("ResponseReader does not keep a connection with unexpected data", () => {
  const reader = new ResponseReader("GET");
  const response = reader.push(Buffer.from("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK"));
  assert.equal(response?.keepsConnection, false);
});

test("ResponseReader finds delimiters that are split, byte by byte", () => {
  const reader = new ResponseReader("GET");
  const text =
    "HTTP/1.1 200 OK\r\n__proto__: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  const answers = [...text].map((byte) => reader.push(Buffer.from(byte)));
  const [answer] = answers.splice(-1);
  assert.ok(answers.every((each) => each === undefined));
  assert.equal(answer?.body.toString(), "abc");
  assert.deepEqual(Object.entries(answer?.headers ?? {})[0], ["__proto__", "a"]);
});
