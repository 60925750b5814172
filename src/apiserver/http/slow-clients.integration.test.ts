import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { textReply } from "../model/exchange.ts";
import { ApiHttpServer } from "./server.ts";

/** Slow clients, which could block a server with little effort. */

const timeoutMs = 300;

async function start() {
  const server = new ApiHttpServer({
    handler: () => Promise.resolve(textReply(200, "ok")),
    clock: systemClock,
    headersTimeoutMs: timeoutMs,
    onError: () => undefined,
  });
  const port = await server.listen(0, "127.0.0.1");
  return { port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** All bytes from the server until it closes the connection. */
async function heard(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  // once() would reject on an error, which a client that writes to a closed connection gets.
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

test("a client that never ends its headers is disconnected", async () => {
  await using server = await start();
  const socket = connect(server.port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-A: ");
  assert.doesNotMatch(await heard(socket), /200/);
});

test("a client that sends single bytes of its headers is disconnected as well", async () => {
  await using server = await start();
  const socket = connect(server.port, "127.0.0.1");
  const closed = heard(socket);
  const done = new AbortController();
  const dripping = (async () => {
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-A: ");
    while (!done.signal.aborted) {
      // The client's interval: several bytes within the timeout, which is Node's and uses no test clock.
      await systemClock.sleep(timeoutMs / 6);
      socket.write("a");
    }
  })();
  assert.doesNotMatch(await closed, /200/);
  done.abort();
  await dripping;
});

test("a client that sends its headers in time may pause between requests", async () => {
  await using server = await start();
  const socket = connect(server.port, "127.0.0.1");
  const closed = heard(socket);
  const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  socket.write(request);
  await once(socket, "data");
  // A later client that never ends its headers is disconnected: the timeout has passed for both.
  const late = connect(server.port, "127.0.0.1");
  late.write("GET / HTTP/1.1\r\nHost: x\r\nX-A: ");
  await heard(late);
  socket.end(request.replace("Host", "Connection: close\r\nHost"));
  assert.equal((await closed).match(/HTTP\/1\.1 200/g)?.length, 2);
});
