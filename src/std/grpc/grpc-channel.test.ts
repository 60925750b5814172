import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { Http2Session } from "../http2/http2-session.ts";
import type { Http2Stream } from "../http2/http2-stream.ts";
import { message } from "../protobuf/protobuf.ts";
import { string } from "../protobuf/protobuf-field.ts";
import { type Clock, nextTurn, systemClock } from "../time/clock.ts";
import { service, unary } from "./grpc.ts";
import { openChannel } from "./grpc-channel.ts";
import { serviceClient } from "./grpc-client.ts";

const Text = message({ text: string(1) });
const Echo = service("test.Echo", { Say: unary(Text, Text) });

/** A server with this connection handler, and a channel to it. */
async function open(accept: (socket: Socket) => void, clock: Clock = systemClock) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    accept(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address && typeof address === "object");
  const channel = openChannel({ address: `http://127.0.0.1:${address.port}`, clock });
  return {
    say: serviceClient(Echo, channel).Say,
    sockets,
    [Symbol.dispose]() {
      channel.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function serveWith(serve: (stream: Http2Stream) => void, maxStreams = 10) {
  return (socket: Socket): Http2Session =>
    new Http2Session(socket, {
      clock: systemClock,
      maxStreams,
      maxHeaderBytes: 10_000,
      serve: async (stream) => serve(stream),
    });
}

const answer = (...fields: string[]) =>
  serveWith((stream) => stream.respond(fields, new Uint8Array()));

const answers: readonly (readonly [string, readonly string[], object])[] = [
  [
    "a status without a response",
    [":status", "200", "grpc-status", "5", "grpc-message", "no such %F0%9F%9A%80 100%"],
    { code: "NOT_FOUND", details: "no such %F0%9F%9A%80 100%" },
  ],
  [
    "a text that is escaped",
    [":status", "200", "grpc-status", "13", "grpc-message", "a%0Ab %F0%9F%9A%80"],
    { code: "INTERNAL", details: "a\nb 🚀" },
  ],
  ["an unknown code", [":status", "200", "grpc-status", "99"], { code: "UNKNOWN", details: "" }],
  ["no response at all", [":status", "200", "grpc-status", "0"], { code: "INTERNAL" }],
  ["a server of another sort", [":status", "404"], { code: "UNIMPLEMENTED", sent: true }],
  ["a proxy without a server", [":status", "503"], { code: "UNAVAILABLE", sent: true }],
];
for (const [name, fields, error] of answers) {
  test(`a call handles ${name}`, async () => {
    using it = await open(answer(...fields));
    await assert.rejects(it.say({}), error);
  });
}

test("a call waits while the server has no room", async () => {
  const streams: Http2Stream[] = [];
  using it = await open(serveWith((stream) => streams.push(stream), 1));
  const outcomes = ["a", "b", "c"].map((text) =>
    assert.rejects(it.say({ text }), { code: "NOT_FOUND" }),
  );
  for (let served = 0; served < 3; served++) {
    while (streams.length === served) await nextTurn();
    await nextTurn();
    assert.equal(streams.length, served + 1);
    streams[served]?.respond([":status", "200", "grpc-status", "5"], new Uint8Array());
  }
  await Promise.all(outcomes);
});

test("a call to a silent server was not sent", async () => {
  using it = await open(() => undefined);
  const error = { code: "DEADLINE_EXCEEDED", sent: false };
  await assert.rejects(it.say({}, { timeoutMs: 20 }), error);
});

test("a call to a server of another protocol was not sent", async () => {
  using it = await open((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
  await assert.rejects(it.say({}), { code: "UNAVAILABLE", sent: false });
});

test("a channel reconnects when its server disconnects", async () => {
  const accept = answer(":status", "200", "grpc-status", "5");
  const sessions: Http2Session[] = [];
  using it = await open((socket) => sessions.push(accept(socket)));
  await assert.rejects(it.say({}), { code: "NOT_FOUND" });
  const [socket] = it.sockets;
  assert.ok(socket);
  const gone = once(socket, "close");
  sessions[0]?.close();
  await gone;
  await assert.rejects(it.say({}), { code: "NOT_FOUND" });
  assert.equal(sessions.length, 2);
});

test("a closed channel refuses waiting calls", async () => {
  const { say, ...it } = await open(() => undefined);
  const refused = assert.rejects(say({}), { code: "UNAVAILABLE", sent: false });
  it[Symbol.dispose]();
  await refused;
});

test("openChannel() reaches a server at an abstract socket", async () => {
  const name = `/k8ts-${process.pid}`;
  const server = createServer((socket) => socket.destroy()).listen(`\0${name}`);
  await once(server, "listening");
  const connection = once(server, "connection");
  const channel = openChannel({ address: `unix-abstract://${name}` });
  await assert.rejects(serviceClient(Echo, channel).Say({ text: "x" }), { code: "UNAVAILABLE" });
  await connection;
  channel.close();
  server.close();
});

test("a call ends at its timeout by the channel's clock", async () => {
  const clock = new FakeClock();
  const streams: Http2Stream[] = [];
  using it = await open(
    serveWith((stream) => streams.push(stream)),
    clock,
  );
  const outcome = assert.rejects(it.say({}, { timeoutMs: 60_000 }), { code: "DEADLINE_EXCEEDED" });
  await until("the call has arrived", () => streams.length === 1);
  await clock.advance(60_000);
  await outcome;
});

test("a channel opens no connection before its back-off by its clock has passed", async () => {
  const clock = new FakeClock();
  let attempts = 0;
  using it = await open((socket) => {
    attempts += 1;
    socket.destroy();
  }, clock);
  for (const expected of [1, 1]) {
    await assert.rejects(it.say({}), { code: "UNAVAILABLE", sent: false });
    assert.equal(attempts, expected);
  }
  await clock.advance(2_000);
  await assert.rejects(it.say({}), { code: "UNAVAILABLE", sent: false });
  assert.equal(attempts, 2);
});
