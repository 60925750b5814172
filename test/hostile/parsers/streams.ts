import { GrpcError } from "#/std/grpc/grpc.ts";
import { frameMessage, MessageReader } from "#/std/grpc/grpc-message.ts";
import { BodyDecoder } from "#/std/http1/body-decoder.ts";
import { HeadBuffer } from "#/std/http1/head-buffer.ts";
import { MalformedResponseError } from "#/std/http1/malformed-response-error.ts";
import { MessageError, readRequestHead } from "#/std/http1/message-head.ts";
import { ResponseReader } from "#/std/http1/response-reader.ts";
import { ConnectionError, preface, settingsFrame } from "#/std/http2/frame.ts";
import { FrameReader } from "#/std/http2/frame-reader.ts";
import { HeaderReader } from "#/std/http2/header-reader.ts";
import { HeadersTooLargeError, HpackDecoder, HpackError } from "#/std/http2/hpack-decoder.ts";
import { declaredLength, fieldsByName, isRequest } from "#/std/http2/request-fields.ts";
import { controlFrame, dataFrame, SpdyError, SpdyFrameDecoder, words } from "#/std/spdy/frames.ts";
import { HeaderCompressor, HeaderDecompressor } from "#/std/spdy/header-block.ts";
import { NoClientHelloError, readServerName } from "#/std/tls/client-hello.ts";
import { encodeFrame, FrameDecoder, opcodes, ProtocolError } from "#/std/websocket/frames.ts";
import { acceptKey, offeredProtocols } from "#/std/websocket/handshake.ts";
import { type HostileParser, hostileParser } from "#/testing/hostile/hostile-parser.ts";
import { around, piecesOf } from "./growths.ts";

/** Small enough to detect a reader that copies all its bytes with each piece. */
const pieceBytes = 64;
const megabyte = 1 << 20;

const requestFields = Buffer.from("828684418cf1e3c2e5f23a6ba0ab90f4ff", "hex");
const http2Head = (type: number, flags: number, payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(0, 0, payload.length, type, flags, 0, 0, 0, 1), payload]);
const http2Bytes = Buffer.concat([
  preface,
  settingsFrame([[3, 100]]),
  http2Head(1, 0x4, requestFields),
  http2Head(1, 0x2d, Buffer.concat([Buffer.of(1, 0, 0, 0, 0, 1), requestFields, Buffer.of(0)])),
  http2Head(1, 0, requestFields.subarray(0, 3)),
  http2Head(9, 0x4, requestFields.subarray(3)),
  http2Head(0, 1, Buffer.from("body")),
]);

function readHttp2(input: Buffer): number {
  const frames = new FrameReader();
  const headers = new HeaderReader(megabyte);
  let count = 0;
  for (const piece of piecesOf(input, pieceBytes)) {
    for (const frame of frames.read(piece)) {
      headers.check(frame);
      if (frame.type !== 1 && frame.type !== 9) continue;
      const fields = headers.take(frame)?.fields ?? [];
      if (isRequest(fields)) declaredLength(fields);
      fieldsByName(fields);
      count++;
    }
  }
  return count;
}

/** A message as the gateway reads it; its body must not be longer than what has arrived. */
function readGatewayRequest(input: Buffer): number {
  const head = new HeadBuffer(megabyte);
  let body: BodyDecoder | undefined;
  let bytes = 0;
  const reader = {
    chunk(chunk: Buffer) {
      bytes += chunk.length;
    },
    end: () => undefined,
  };
  for (const piece of piecesOf(input, pieceBytes)) {
    let rest: Buffer | undefined = piece;
    if (!body) {
      const found = head.push(piece);
      if (!found) continue;
      body = new BodyDecoder(readRequestHead(found.text).body);
      rest = found.rest;
    }
    if (rest && !body.isDone) body.push(rest, reader);
  }
  if (bytes > input.length) throw new Error("more bytes than have arrived");
  return bytes;
}

/** A ClientHello for "a.example". */
const clientHello = Buffer.from(
  `160301004d010000490303${"00".repeat(32)}00000213010100001e` +
    "0000000e000c000009612e6578616d706c65000d00040002040300170000",
  "hex",
);

const spdyHeaders = { ":method": "POST", streamtype: "stdin", port: "80", "x-a": "b, c" };
const compressor = new HeaderCompressor();
const headerBlock = await compressor.compress(spdyHeaders);
compressor.close();

async function readHeaderBlock(input: Buffer) {
  const decompressor = new HeaderDecompressor();
  try {
    return await decompressor.decompress(input);
  } finally {
    decompressor.close();
  }
}

const response = "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nX-A: 1\r\nX-A: 2\r\n";
const chunked = "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n1;a=b\r\nx\r\n0\r\nT: v\r\n\r\n";

export const streamParsers: readonly HostileParser[] = [
  ...[false, true].map((masked) =>
    hostileParser({
      name: masked ? "websocket of a client" : "websocket of a server",
      growthBytes: 256 * 1024,
      corpus: [
        encodeFrame(opcodes.text, Buffer.from("hello"), { masked }),
        encodeFrame(opcodes.binary, Buffer.alloc(200, "x"), { masked }),
        encodeFrame(opcodes.binary, Buffer.alloc(70_000, "x"), { masked }),
        Buffer.concat([
          encodeFrame(opcodes.ping, Buffer.of(1), { masked }),
          encodeFrame(opcodes.close, Buffer.of(3, 232), { masked }),
        ]),
      ],
      parse: (input) => {
        const decoder = new FrameDecoder(32 * megabyte, { masked });
        return [...piecesOf(input, pieceBytes)].flatMap((piece) => decoder.push(piece));
      },
      errors: [ProtocolError],
      grows: [
        (bytes) => encodeFrame(opcodes.binary, Buffer.alloc(bytes), { masked }),
        masked ? "\u0001\u0080\u0000\u0000\u0000\u0000" : "\u0001\u0000",
        masked ? "\u0001\u0081\u0000\u0000\u0000\u0000a" : "\u0001\u0001a",
      ],
      inputs: 300,
    }),
  ),
  hostileParser({
    name: "websocket handshake",
    corpus: ["v5.channel.k8s.io, base64.binary.k8s.io", "dGhlIHNhbXBsZSBub25jZQ=="],
    parse: (input) => [
      offeredProtocols(input.toString("latin1")),
      acceptKey(input.toString("latin1")),
    ],
    errors: [],
    tokens: [",", " "],
    grows: [",", "a,", " "],
  }),
  hostileParser({
    name: "spdy",
    growthBytes: 256 * 1024,
    corpus: [
      dataFrame(1, 1, Buffer.from("data")),
      Buffer.concat([
        controlFrame(1, 0, Buffer.concat([words(1, 0), Buffer.of(0, 0), headerBlock])),
        controlFrame(6, 0, words(1)),
      ]),
    ],
    parse: (input) => {
      const decoder = new SpdyFrameDecoder();
      return [...piecesOf(input, pieceBytes)].flatMap((piece) => decoder.push(piece));
    },
    errors: [SpdyError],
    grows: [
      (bytes) => dataFrame(1, 0, Buffer.alloc(bytes)),
      "\u0000\u0000\u0000\u0001\u0000\u0000\u0000\u0000",
    ],
  }),
  hostileParser({
    name: "spdy header block",
    corpus: [headerBlock],
    parse: readHeaderBlock,
    errors: [SpdyError],
    inputs: 300,
  }),
  hostileParser({
    name: "http1 request of a gateway",
    growthBytes: 256 * 1024,
    corpus: [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody",
      `POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`,
    ],
    parse: readGatewayRequest,
    errors: [MessageError],
    tokens: ["\r\n", "\n", " ", "\t", "\0", "Host: b\r\n", "Content-Length: 1\r\n", "0\r\n"],
    grows: [around("GET / HTTP/1.1\r\nHost: a\r\nx: ", "y", "\r\n\r\n")],
  }),
  hostileParser({
    name: "tls client hello",
    corpus: [clientHello, clientHello.subarray(0, 60)],
    parse: (input) => readServerName(input),
    errors: [NoClientHelloError],
  }),
  hostileParser({
    name: "http1 response",
    growthBytes: 256 * 1024,
    corpus: [
      `${response}Content-Length: 4\r\n\r\nbody`,
      response + chunked,
      `${response}\r\nrest`,
      `HTTP/1.1 100 Continue\r\n\r\n${response}${chunked}`,
    ],
    parse: (input) => {
      const reader = new ResponseReader("GET");
      for (const piece of piecesOf(input, pieceBytes)) {
        const found = reader.push(piece);
        if (found) return found;
      }
      return reader.end();
    },
    errors: [MalformedResponseError],
    tokens: [
      "\r\n",
      "\r\n\r\n",
      "Content-Length: ",
      "Transfer-Encoding: chunked\r\n",
      "0\r\n",
      "__proto__: a\r\n",
      "HTTP/1.0",
    ],
    grows: [
      around("HTTP/1.1 200 OK\r\n", "a: b\r\n", "\r\n"),
      around("HTTP/1.1 200 OK\r\na: ", "b", "\r\n\r\n"),
      around("HTTP/1.1 200 OK\r\n", "a: b\r\n"),
      around("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
      around("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", " "),
      around("HTTP/1.1 200 OK\r\nTransfer-Encoding: ", ","),
      around("HTTP/1.1 200 OK\r\nTransfer-Encoding: ", " ", "x\r\n\r\n"),
      "HTTP/1.1 100 Continue\r\n\r\n",
      (bytes) => `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n${"x".repeat(bytes)}`,
    ],
  }),
  hostileParser({
    name: "http2",
    corpus: [http2Bytes],
    parse: readHttp2,
    errors: [ConnectionError, HpackError, HeadersTooLargeError],
    grows: [
      (bytes) =>
        Buffer.concat([
          preface,
          ...Array(Math.ceil(bytes / 26)).fill(http2Head(1, 4, requestFields)),
        ]),
      (bytes) =>
        Buffer.concat([
          preface,
          http2Head(1, 0, Buffer.alloc(0)),
          ...Array(Math.ceil(bytes / 9)).fill(http2Head(9, 0, Buffer.alloc(0))),
        ]),
    ],
    inputs: 250,
  }),
  hostileParser({
    name: "hpack",
    corpus: [requestFields, Buffer.from("3fe11f8286845886a8eb10649cbf4002612d03622d63be", "hex")],
    parse: (input) => new HpackDecoder(megabyte).decode(input),
    errors: [HpackError, HeadersTooLargeError],
    grows: ["\u0040\u0001a\u0001b", "\u0020", "\u003f\u0000"],
    inputs: 300,
  }),
  hostileParser({
    name: "grpc message",
    growthBytes: 256 * 1024,
    corpus: [
      frameMessage((writer) => writer.raw(Buffer.from("message"))),
      Buffer.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7),
    ],
    parse: (input) => {
      const reader = new MessageReader(4 * megabyte);
      return [...piecesOf(input, pieceBytes)].flatMap((piece) => [...reader.read(piece)]);
    },
    errors: [GrpcError],
    grows: ["\0\0\0\0\0", (bytes) => frameMessage((writer) => writer.raw(Buffer.alloc(bytes)))],
  }),
];
