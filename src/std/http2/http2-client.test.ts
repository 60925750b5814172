import assert from "node:assert/strict";
import { type Duplex, duplexPair } from "node:stream";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { nextTurn } from "../time/clock.ts";
import {
  ackFrame,
  errorCodes,
  type Frame,
  flags,
  frameTypes,
  numbersFrame,
  settingIds,
  settingsFrame,
} from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import { FrameWriter } from "./frame-writer.ts";
import { HpackEncoder } from "./hpack-encoder.ts";
import { Http2Client, type Http2ClientOptions } from "./http2-client.ts";
import type { Http2Stream } from "./http2-stream.ts";

const windowBytes = 1000;
const question = [":method", "POST", ":path", "/"];

/** A client, and the server's end of its connection. */
function open(options: Partial<Http2ClientOptions> = {}) {
  const [socket, server] = duplexPair();
  const reader = new FrameReader();
  const frames: Frame[] = [];
  server.on("data", (chunk: Buffer) => frames.push(...reader.read(chunk)));
  server.on("error", () => undefined);
  const events: string[] = [];
  const client = new Http2Client(socket, {
    clock: new FakeClock(),
    windowBytes,
    maxHeaderBytes: 10_000,
    onReady: () => events.push("ready"),
    onClosing: (reason) => events.push(`closing: ${reason}`),
    ...options,
  });
  return {
    client,
    server,
    events,
    answers: new FrameWriter(server, () => undefined),
    encoder: new HpackEncoder(),
    /** Frames of a type that the client has sent. */
    async sent(type: number): Promise<Frame[]> {
      await settle();
      return frames.filter((frame) => frame.type === type);
    },
    /** A request, and its events as text. */
    ask(body?: Uint8Array): { stream: Http2Stream; log: string[] } {
      const log: string[] = [];
      const stream = client.request(question, body, {
        takeFields: (fields) => log.push(fields.join(" ")),
        takeChunk: (chunk) => log.push(String(chunk)),
        takeEnd: () => log.push("end"),
        fail: ({ reason, seen, code }) => log.push(`${reason}, ${seen}, ${code}`),
      });
      return { stream, log };
    },
  };
}

/** Lets written data arrive and be processed. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}

async function openReady(options: Partial<Http2ClientOptions> = {}, settings = settingsFrame([])) {
  const it = open(options);
  it.server.write(settings);
  await settle();
  assert.deepEqual(it.events, ["ready"]);
  return it;
}

test("Http2Client has room after the server's settings", async () => {
  const it = open();
  assert.equal(it.client.hasRoom, false);
  it.server.write(settingsFrame([[settingIds.maxConcurrentStreams, 1]]));
  await settle();
  assert.equal(it.client.hasRoom, true);
  const { stream } = it.ask(new Uint8Array());
  assert.equal(it.client.hasRoom, false);
  let freed = 0;
  it.client.onFreed = () => freed++;
  stream.reset(errorCodes.cancel);
  assert.deepEqual([it.client.hasRoom, freed], [true, 1]);
  const [reset] = await it.sent(frameTypes.reset);
  assert.equal(reset?.payload.readUInt32BE(0), errorCodes.cancel);
});

test("Http2Client delivers a response: fields, content, trailers, end", async () => {
  const it = await openReady();
  const { log } = it.ask(Buffer.from("hello"));
  const [data] = await it.sent(frameTypes.data);
  assert.equal(String(data?.payload), "hello");
  assert.equal(data?.flags, flags.endStream);
  it.answers.hold();
  it.answers.headers(1, it.encoder.encode([":status", "200"]), 10_000, false);
  it.answers.data(1, Buffer.from("world"), false);
  it.answers.headers(1, it.encoder.encode(["grpc-status", "0"]), 3, true);
  it.answers.release();
  await settle();
  assert.deepEqual(log, [":status 200", "world", "grpc-status 0", "end"]);
  assert.equal(it.client.size, 0);
});

test("Http2Client stops sending a body that the server does not read", async () => {
  const it = await openReady();
  const { stream, log } = it.ask();
  it.answers.headers(1, it.encoder.encode([":status", "200"]), 10_000, true);
  it.answers.flush();
  await settle();
  assert.deepEqual(log, [":status 200", "end"]);
  assert.equal(stream.isClosed, true);
  assert.equal((await it.sent(frameTypes.reset)).length, 1);
});

test("Http2Client receives more as data is consumed", async () => {
  const it = await openReady();
  const { stream, log } = it.ask(new Uint8Array());
  const before = (await it.sent(frameTypes.windowUpdate)).length;
  it.answers.data(1, Buffer.alloc(windowBytes, "x"), false);
  it.answers.flush();
  await settle();
  assert.equal(log.join("").length, windowBytes);
  stream.consumed(windowBytes / 2 - 1);
  assert.equal((await it.sent(frameTypes.windowUpdate)).length, before);
  stream.consumed(1);
  const update = (await it.sent(frameTypes.windowUpdate)).at(-1);
  assert.deepEqual([update?.streamId, update?.payload.readUInt32BE(0)], [1, windowBytes / 2]);
});

test("Http2Client sends within the server's window", async () => {
  const it = await openReady({}, settingsFrame([[settingIds.initialWindowSize, 3]]));
  it.ask(Buffer.from("hello"));
  const texts = async () => (await it.sent(frameTypes.data)).map(({ payload }) => String(payload));
  assert.deepEqual(await texts(), ["hel"]);
  it.server.write(numbersFrame(frameTypes.windowUpdate, 1, 10));
  assert.deepEqual(await texts(), ["hel", "lo"]);
});

const failures: readonly (readonly [string, (server: Duplex) => void, string])[] = [
  [
    "a connection that broke",
    (server) => server.destroy(),
    "the connection has ended, true, undefined",
  ],
  [
    "a request that was given up",
    (server) => server.write(numbersFrame(frameTypes.reset, 1, errorCodes.internalError)),
    "the server gave the request up (code 2), true, 2",
  ],
  [
    "a request that was refused unseen",
    (server) => server.write(numbersFrame(frameTypes.reset, 1, errorCodes.refusedStream)),
    "the server gave the request up (code 7), false, 7",
  ],
  [
    "a server that went before it saw the request",
    (server) => server.write(numbersFrame(frameTypes.goaway, 0, 0, errorCodes.noError)),
    "the server goes away, false, undefined",
  ],
  [
    "a server that sends more than was agreed",
    (server) => {
      const writer = new FrameWriter(server, () => undefined);
      writer.data(1, Buffer.alloc(windowBytes + 1), true);
      writer.flush();
    },
    "the server broke the protocol: more than the stream takes, true, undefined",
  ],
  [
    "a server that pushes",
    (server) => server.write(numbersFrame(frameTypes.pushPromise, 1, 2)),
    "the server broke the protocol: server push is not enabled, true, undefined",
  ],
];
for (const [name, happen, outcome] of failures) {
  test(`Http2Client reports ${name}`, async () => {
    const it = await openReady();
    const { log } = it.ask(Buffer.from("hello"));
    happen(it.server);
    await settle();
    assert.deepEqual(log, [outcome]);
    assert.equal(it.client.size, 0);
  });
}

test("Http2Client continues requests that a server with GOAWAY has seen", async () => {
  const it = await openReady();
  const { log } = it.ask(new Uint8Array());
  it.server.write(numbersFrame(frameTypes.goaway, 0, 1, errorCodes.noError));
  await settle();
  assert.equal(it.client.hasRoom, false);
  assert.deepEqual(it.events, ["ready", "closing: the server goes away"]);
  it.answers.headers(1, it.encoder.encode([":status", "200"]), 10_000, true);
  it.answers.flush();
  await settle();
  assert.deepEqual(log, [":status 200", "end"]);
  assert.equal(it.server.readableEnded, true);
});

test("Http2Client closes a connection whose server does not answer a ping", async () => {
  const clock = new FakeClock();
  const it = await openReady({ clock, keepalive: { afterMs: 100, timeoutMs: 10 } });
  const { log } = it.ask(new Uint8Array());
  await clock.advance(100);
  const [ping] = await it.sent(frameTypes.ping);
  assert.ok(ping);
  it.server.write(ackFrame(frameTypes.ping, ping.payload));
  await settle();
  await clock.advance(10);
  await clock.advance(100);
  assert.equal((await it.sent(frameTypes.ping)).length, 2);
  assert.deepEqual(log, []);
  await clock.advance(10);
  assert.deepEqual(log, ["the server doesn't answer a ping, true, undefined"]);
});

test("Http2Client answers a ping", async () => {
  const it = await openReady();
  it.server.write(numbersFrame(frameTypes.ping, 0, 1, 2));
  const [pong] = await it.sent(frameTypes.ping);
  assert.deepEqual([pong?.flags, pong?.payload.readUInt32BE(4)], [flags.ack, 2]);
});
