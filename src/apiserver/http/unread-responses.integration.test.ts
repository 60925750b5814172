import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type ClientHttp2Stream, connect, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { bytesReply, type Handler } from "../model/exchange.ts";
import { ApiHttpServer } from "./server.ts";

/** Clients that request responses and do not read them. */

const limitMs = 60_000;
const largeBytes = 64 * 1024 * 1024;
const small = "/api/v1/namespaces";
const watch = "/api/v1/namespaces?watch=true";

/** Emits "large" for each request of the large response. */
const asked = new EventEmitter();

const handler: Handler = async ({ path, query, signal }) => {
  if (query.get("watch") !== "true") {
    if (path !== small) asked.emit("large");
    return bytesReply(200, "text/plain", Buffer.alloc(path === small ? 1024 : largeBytes));
  }
  const write = () => new Promise<void>((done) => signal.addEventListener("abort", () => done()));
  return { status: 200, headers: {}, body: { type: "stream", write } };
};

async function start(tls: boolean) {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "unread-"));
  starting.defer(() => rm(folder, { recursive: true }));
  const { certFile, keyFile } = await (await TestAuthority.create(folder)).issue("server");
  const clock = new FakeClock();
  const server = starting.use(
    new ApiHttpServer({
      handler,
      clock,
      requestTimeoutMs: limitMs,
      onError: () => undefined,
      ...(tls ? { tls: { cert: await readFile(certFile), key: await readFile(keyFile) } } : {}),
    }),
  );
  const port = await server.listen(0, "127.0.0.1");
  const stack = starting.move();
  return { clock, server, port, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const open = (port: number, initialWindowSize: number) =>
  connect(`https://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
    settings: { initialWindowSize },
  });

/** once() would reject on an error, which a reset is. */
const closed = (source: EventEmitter) => new Promise((done) => source.once("close", done));

/** Waits for the head of a response, and never opens the window. */
async function headOf(stream: ClientHttp2Stream): Promise<ClientHttp2Stream> {
  stream.on("error", () => undefined);
  await once(stream, "response");
  return stream;
}

test("an HTTP/2 stream whose window stays closed is reset after the request's time", async () => {
  await using server = await start(true);
  const client = open(server.port, 0);
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => headOf(client.request({ ":path": small }))),
  );
  await server.clock.advance(limitMs - 2_000);
  assert.ok(streams.every(({ closed }) => !closed));
  const ends = streams.map((stream) => closed(stream));
  await server.clock.advance(4_000);
  await Promise.all(ends);
  for (const { rstCode } of streams) assert.equal(rstCode, constants.NGHTTP2_INTERNAL_ERROR);
  client.destroy();
});

test("a connection that is closing ends when its last stream was reset", async () => {
  await using server = await start(true);
  const client = open(server.port, 0);
  const stream = await headOf(client.request({ ":path": small }));
  server.server.stopAccepting();
  const end = closed(client);
  await server.clock.advance(limitMs + 2_000);
  await end;
  assert.ok(stream.closed);
});

test("a client that reads gets the whole response, and may take part in a watch for longer", async () => {
  await using server = await start(true);
  const client = open(server.port, 65_535);
  const watching = await headOf(client.request({ ":path": watch }));
  const stream = client.request({ ":path": small });
  const chunks: Buffer[] = await stream.toArray();
  assert.equal(Buffer.concat(chunks).length, 1024);
  await server.clock.advance(limitMs * 2);
  assert.equal((await client.request({ ":path": small }).toArray()).length, 1);
  assert.ok(!watching.closed);
  client.destroy();
});

test("an HTTP/1.1 client that does not read is disconnected after the request's time", async () => {
  await using server = await start(false);
  const socket = connectTcp(server.port, "127.0.0.1").pause();
  socket.on("error", () => undefined);
  socket.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(asked, "large");
  await server.clock.advance(limitMs + 2_000);
  const bytes = await readToEnd(socket);
  assert.ok(bytes < largeBytes, `${bytes}`);
});

async function readToEnd(socket: ReturnType<typeof connectTcp>): Promise<number> {
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await new Promise((done) => socket.resume().once("close", done));
  return bytes;
}
