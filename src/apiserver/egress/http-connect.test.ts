import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { trustOf } from "#/std/tls/trust.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { connectThrough } from "./http-connect.ts";

const { signal } = new AbortController();

/** A server's address; it listens until the test ends. */
async function listen(t: TestContext, server: Server): Promise<{ host: string; port: number }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

const reading = "reading HTTP response from CONNECT to a:1 via proxy PROXY failed:";
for (const [answer, message] of [
  ["", `${reading} unexpected EOF`],
  ["SSH-2.0-x\r\n\r\n", `${reading} malformed HTTP response`],
  [
    "HTTP/1.1 503 Not Now\r\n\r\n",
    "proxy error from PROXY while dialing a:1, code 503: 503 Not Now",
  ],
  [
    "HTTP/1.0 200 OK\r\nx: y\r\n\r\nhello",
    'unexpected 5 bytes of buffered data from CONNECT proxy "PROXY"',
  ],
] as const) {
  test(`connectThrough() refuses a proxy with the response ${JSON.stringify(answer)}`, async (t) => {
    const server = createServer((socket) => socket.once("data", () => socket.end(answer)));
    const proxy = await listen(t, server);
    const expected = message.replace("PROXY", `127.0.0.1:${proxy.port}`);
    await assert.rejects(connectThrough(proxy, "a:1", signal), { message: expected });
  });
}

test("connectThrough() sends a proxy its client certificate, and verifies the proxy's", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "http-connect-"));
  t.after(() => rm(directory, { recursive: true }));
  const authority = await TestAuthority.create(directory);
  const files = await authority.issue("proxy");
  const [ca, cert, key] = await Promise.all(
    [authority.caFile, files.certFile, files.keyFile].map((file) => readFile(file)),
  );
  assert.ok(ca && cert && key);
  const demanding = { ca, cert, key, requestCert: true, rejectUnauthorized: true };
  const server = createTlsServer(demanding, (socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(socket);
    });
    socket.on("error", () => socket.destroy());
  });
  server.on("tlsClientError", () => undefined);
  const proxy = await listen(t, server);
  const connection = await connectThrough(
    { ...proxy, tls: { trust: trustOf(ca), cert, key } },
    "a:1",
    signal,
  );
  connection.write("hello");
  assert.equal(String((await once(connection, "data"))[0]), "hello");
  connection.destroy();
  const distrustful = { ...proxy, tls: { cert, key } };
  await assert.rejects(connectThrough(distrustful, "a:1", signal), /certificate/);
  const mismatched = { ...proxy, tls: { trust: trustOf(ca), cert, key: ca } };
  await assert.rejects(connectThrough(mismatched, "a:1", signal));
});

test("connectThrough() does nothing for an aborted signal, and stops when one aborts", async (t) => {
  const server = createServer();
  const proxy = await listen(t, server);
  const reason = new Error("enough");
  await assert.rejects(connectThrough(proxy, "a:1", AbortSignal.abort(reason)), reason);
  const stop = new AbortController();
  const dialling = connectThrough(proxy, "a:1", stop.signal);
  const refused = assert.rejects(dialling, /failed: enough$|^Error: enough$/);
  const [taken] = (await once(server, "connection")) as [Socket];
  const closed = once(taken.resume(), "close");
  stop.abort(reason);
  await refused;
  await closed;
});
