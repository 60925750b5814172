import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { connect } from "node:tls";
import { readServerName } from "./client-hello.ts";

/** The first bytes of a TLS client that asks for a name. */
async function helloFor(servername: string | undefined): Promise<Buffer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client = connect({ port, host: "127.0.0.1", ...(servername ? { servername } : {}) });
  client.on("error", () => undefined);
  const [socket] = await once(server, "connection");
  const [bytes] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  server.close();
  return bytes;
}

test("readServerName() reads the name, however the bytes arrive", async () => {
  const hello = await helloFor("Web.Example");
  assert.equal(readServerName(hello), "web.example");
  for (const cut of [1, 5, 6, 50, hello.length - 1]) {
    assert.equal(readServerName(hello.subarray(0, cut)), undefined);
  }
});

test("readServerName() is empty without a name", async () => {
  assert.equal(readServerName(await helloFor(undefined)), "");
});

test("readServerName() refuses what is no ClientHello", async () => {
  assert.throws(() => readServerName(Buffer.from("GET / HTTP/1.1\r\n")), /handshake/);
  const hello = await helloFor("web.example");
  const other = Buffer.from(hello);
  other[5] = 2;
  assert.throws(() => readServerName(other), /another one/);
  const malformed = Buffer.of(22, 3, 1, 0, 8, 1, 0, 0, 4, 0, 0, 0, 0);
  assert.throws(() => readServerName(malformed), /malformed/);
});
