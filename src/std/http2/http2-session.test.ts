import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { connect as connectTcp, createServer } from "node:net";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { systemClock } from "../time/clock.ts";
import {
  errorCodes,
  type Frame,
  frameTypes,
  numbersFrame,
  preface,
  settingsFrame,
} from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import { Http2Session, type Http2SessionOptions } from "./http2-session.ts";
import type { Http2Stream } from "./http2-stream.ts";

const ok = [":status", "200"];

/** A server with this handler, and Node's own client. */
async function open(
  serve: Http2SessionOptions["serve"],
  options: Partial<Http2SessionOptions> = {},
) {
  const sessions: Http2Session[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    const defaults = { clock: systemClock, maxStreams: 10, maxHeaderBytes: 10_000, serve };
    sessions.push(new Http2Session(socket, { ...defaults, ...options }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const client = connect(`http://127.0.0.1:${port}`);
  client.on("error", () => undefined);
  return {
    port,
    client,
    sessions,
    [Symbol.dispose]() {
      client.destroy();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

async function textOf(stream: ClientHttp2Stream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}

async function send(client: ClientHttp2Session, path: string, body?: Buffer): Promise<string> {
  const stream = client.request({ ":path": path, ":method": body ? "POST" : "GET" });
  stream.end(body);
  return textOf(stream);
}

/** Responds with the length of the body. */
function count(stream: Http2Stream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let size = 0;
  stream.receive({
    chunk(chunk) {
      size += chunk.length;
      stream.consumed(chunk.length);
    },
    end() {
      stream.respond(ok, Buffer.from(String(size)));
      resolve();
    },
    fail: resolve,
  });
  return promise;
}

test("Http2Session receives bodies larger than any window, many in parallel", async () => {
  using running = await open(count);
  const sizes = [0, 1, 16_384, 100_000, 3_000_000, 3_000_001];
  const sent = sizes.map((size) => send(running.client, "/", Buffer.alloc(size)));
  assert.deepEqual(await Promise.all(sent), sizes.map(String));
});

test("Http2Stream.readable holds the client back until the body is read", async () => {
  let pending: Http2Stream | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  using running = await open((stream) => {
    pending = stream;
    resolve();
    return Promise.resolve();
  });
  const answer = send(running.client, "/", Buffer.alloc(1_000_000));
  await promise;
  let size = 0;
  for await (const chunk of pending?.readable ?? []) size += (chunk as Buffer).length;
  assert.equal(size, 1_000_000);
  pending?.respond(ok, Buffer.from("done"));
  assert.equal(await answer, "done");
});

test("Http2Session sends within the client's window, and reports when it grows", async () => {
  const part = Buffer.alloc(50_000, "x");
  using running = await open(async (stream) => {
    stream.respond(ok);
    for (let sent = 0; sent < 100; sent++) if (!stream.write(part)) await stream.drained();
    assert.ok(stream.pendingBytes < 200_000, String(stream.pendingBytes));
    stream.end();
  });
  const texts = await Promise.all([send(running.client, "/"), send(running.client, "/")]);
  assert.deepEqual(
    texts.map(({ length }) => length),
    [5_000_000, 5_000_000],
  );
});

test("Http2Session reports a cancelled request", async () => {
  const aborted = Promise.withResolvers<void>();
  using running = await open((stream) => {
    stream.onAbort = aborted.resolve;
    stream.respond(ok);
    return aborted.promise;
  });
  const stream = running.client.request({ ":path": "/" });
  await once(stream, "response");
  stream.close(errorCodes.cancel);
  await aborted.promise;
});

test("Http2Session.close() waits for active requests, then closes the connection", async () => {
  const begun = Promise.withResolvers<Http2Stream>();
  using running = await open(async (stream) => begun.resolve(stream));
  const answer = send(running.client, "/");
  const stream = await begun.promise;
  const goaway = once(running.client, "goaway");
  const closed = once(running.client, "close");
  running.sessions[0]?.close();
  await goaway;
  stream.respond(ok, Buffer.from("last"));
  assert.equal(await answer, "last");
  await closed;
});

test("Http2Session responds to a client that continues to send, and resets the stream when its place is needed", async () => {
  using running = await open(async (stream) => stream.respond(ok, Buffer.from("no")), {
    maxStreams: 1,
  });
  const sending = [preface, request(first, "04"), request("00000003", "05")];
  const reset = await answerTo(running.port, sending, frameTypes.reset);
  assert.deepEqual([reset.streamId, reset.payload.readUInt32BE(0)], [1, errorCodes.noError]);
  const stream = running.client.request({ ":path": "/", ":method": "POST" });
  stream.write(Buffer.alloc(1_000_000));
  assert.equal(await textOf(stream), "no");
});

test("Http2Session answers pings, and many small requests in turn", async () => {
  using running = await open(count);
  await new Promise((resolve) => running.client.ping(resolve));
  for (let index = 0; index < 300; index++) {
    assert.equal(await send(running.client, `/${index}`), "0");
  }
});

/** The first frame of a type in the response to these bytes. */
async function answerTo(port: number, bytes: readonly Buffer[], type: number): Promise<Frame> {
  const socket = connectTcp(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(Buffer.concat(bytes));
  const reader = new FrameReader(true);
  for await (const chunk of socket) {
    for (const frame of reader.read(chunk as Buffer)) if (frame.type === type) return frame;
  }
  throw new Error("no such frame came");
}

const head = (hex: string): Buffer => Buffer.from(hex, "hex");
/** A request of / on a stream. */
const request = (id: string, flags: string): Buffer => head(`000003${"01"}${flags}${id}828684`);
const given = (id: number): Buffer =>
  Buffer.concat([
    request(id.toString(16).padStart(8, "0"), "05"),
    numbersFrame(frameTypes.reset, id, errorCodes.cancel),
  ]);
const first = "00000001";
const violations: readonly (readonly [string, Buffer | readonly Buffer[], number])[] = [
  ["another protocol", head("00"), errorCodes.protocolError],
  ["a frame over the limit", [preface, head("00400100000000000000")], errorCodes.frameSizeError],
  ["a request with an even number", [preface, request("00000002", "05")], errorCodes.protocolError],
  [
    "something between the parts of header fields",
    [preface, request(first, "01"), head("000000040000000000")],
    errorCodes.protocolError,
  ],
  ["a continuation of nothing", [preface, head("00000009040000000100")], errorCodes.protocolError],
  ["a body without a request", [preface, head("000000000100000001")], errorCodes.protocolError],
  [
    "header fields that can't be read",
    [preface, head("00000101050000000180")],
    errorCodes.compressionError,
  ],
  [
    "header fields without end",
    [preface, head("00400001010000000100"), Buffer.alloc(16_383)],
    errorCodes.enhanceYourCalm,
  ],
  [
    "parts of header fields with nothing in them",
    [preface, request(first, "01"), ...Array<Buffer>(2000).fill(head("000000090000000001"))],
    errorCodes.enhanceYourCalm,
  ],
  [
    "a window that is too big",
    [preface, numbersFrame(frameTypes.windowUpdate, 0, 2 ** 31 - 1)],
    errorCodes.flowControlError,
  ],
  [
    "a window of nothing",
    [preface, numbersFrame(frameTypes.windowUpdate, 0, 0)],
    errorCodes.protocolError,
  ],
  ["a frame size that is none", [preface, settingsFrame([[5, 1]])], errorCodes.protocolError],
  [
    "requests given up faster than anybody does",
    [preface, ...Array.from({ length: 1500 }, (_, index) => given(2 * index + 1))],
    errorCodes.enhanceYourCalm,
  ],
];
for (const [name, bytes, code] of violations) {
  test(`Http2Session closes the connection after ${name}`, async () => {
    using running = await open(async () => undefined, { clock: new FakeClock() });
    const { payload } = await answerTo(running.port, [bytes].flat(), frameTypes.goaway);
    assert.equal(payload.readUInt32BE(4), code);
  });
}

test("Http2Session closes a connection whose client requests replies and reads none", async () => {
  const answer = async (stream: Http2Stream) => stream.respond(ok, Buffer.alloc(100));
  using running = await open(answer);
  const socket = connectTcp(running.port, "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.once("error", () => resolve()));
  socket.write(Buffer.concat([preface, settingsFrame([[4, 0]]), request(first, "05")]));
  const pings = Buffer.concat(
    Array<Buffer>(10_000).fill(head("0000080600000000000102030405060708")),
  );
  while (!socket.destroyed) {
    if (!socket.write(pings))
      await Promise.race([once(socket, "drain"), closed]).catch(() => undefined);
  }
});

test("Http2Session ends after its idle timeout", async () => {
  const clock = new FakeClock();
  using running = await open(count, { clock });
  assert.equal(await send(running.client, "/"), "0");
  const gone = once(running.client, "goaway");
  await clock.advance(60_000);
  assert.equal(await send(running.client, "/"), "0");
  await clock.advance(60_000);
  assert.equal(await send(running.client, "/"), "0");
  await clock.advance(90_000);
  assert.deepEqual((await gone)[0], errorCodes.noError);
});

/** A request with a body of two bytes, and a body of this number of bytes. */
const sized = (flags: string): Buffer => head(`00000701${flags}000000058286840f0d0132`);
const data = (flags: string, size: number): Buffer =>
  Buffer.concat([head(`00000${size}00${flags}00000005`), Buffer.alloc(size)]);
const refusals: readonly (readonly [string, readonly Buffer[], number])[] = [
  [
    "more requests than it said, even if earlier ones were given up",
    [given(1), given(3), request("00000005", "05")],
    errorCodes.refusedStream,
  ],
  ["a request without a path", [head("0000020105000000058286")], errorCodes.protocolError],
  ["a body that is longer than was said", [sized("04"), data("00", 3)], errorCodes.protocolError],
  ["a body that is shorter than was said", [sized("04"), data("01", 1)], errorCodes.protocolError],
  ["no body where one was said to be", [sized("05")], errorCodes.protocolError],
  [
    "a window of nothing",
    [request("00000005", "05"), numbersFrame(frameTypes.windowUpdate, 5, 0)],
    errorCodes.protocolError,
  ],
];
for (const [name, bytes, code] of refusals) {
  test(`Http2Session refuses ${name}`, async () => {
    const end = Promise.withResolvers<void>();
    using running = await open(() => end.promise, { maxStreams: 2 });
    const answer = await answerTo(running.port, [preface, ...bytes], frameTypes.reset);
    assert.deepEqual([answer.streamId, answer.payload.readUInt32BE(0)], [5, code]);
    end.resolve();
  });
}
