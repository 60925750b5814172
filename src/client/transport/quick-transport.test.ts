import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { openCredentials } from "./credentials.ts";
import { networkTransportContract } from "./network-transport.contract.ts";
import { QuickTransport } from "./quick-transport.ts";

networkTransportContract("QuickTransport", (options) => new QuickTransport(options));

interface Served extends AsyncDisposable {
  readonly transport: QuickTransport;
  readonly url: string;
  /** All connections that were opened. */
  readonly connections: readonly Socket[];
  /** `GET /path body`, in order. */
  readonly requests: readonly string[];
}

type Handler = (response: ServerResponse, request: IncomingMessage, count: number) => void;

async function serve(handle: Handler): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "quick-transport-"));
  const authority = await TestAuthority.create(folder);
  const { certFile, keyFile } = await authority.issue("server");
  const connections: Socket[] = [];
  const requests: string[] = [];
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const server = createServer(tls, async (request, response) => {
    const body = (await request.toArray()).join("");
    const count = requests.push(`${request.method} ${request.url} ${body}`.trim());
    handle(response, request, count);
  });
  server.on("connection", (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = openCredentials({ caFile: authority.caFile });
  const transport = new QuickTransport({ server: `${url}/below/`, credentials });
  return {
    transport,
    url: `${url}/below`,
    connections,
    requests,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

const json = (response: ServerResponse, value: unknown): void => {
  response.setHeader("content-type", "application/json").end(JSON.stringify(value));
};

test("QuickTransport sends consecutive requests on one connection", async () => {
  await using server = await serve((response, _, count) => json(response, { count }));
  const first = await server.transport.request({ method: "GET", path: "/a", query: { limit: 5 } });
  const body = { kind: "ö" };
  const second = await server.transport.request({ method: "POST", path: "/b", body });
  assert.deepEqual([first.body, second.body], [{ count: 1 }, { count: 2 }]);
  assert.deepEqual(server.requests, ["GET /below/a?limit=5", 'POST /below/b {"kind":"ö"}']);
  assert.equal(server.connections.length, 1);
});

test("QuickTransport sends parallel requests", async () => {
  await using server = await serve((response, { url }) => json(response, url));
  const paths = ["/a", "/b", "/c", "/d"];
  const answers = await Promise.all(
    paths.map((path) => server.transport.request({ method: "GET", path })),
  );
  assert.deepEqual(
    answers.map(({ body }) => body),
    paths.map((path) => `/below${path}`),
  );
});

test("QuickTransport returns warnings and headers", async () => {
  await using server = await serve((response) => {
    response.setHeader("warning", ['299 - "one"', '299 - "two"']);
    response.writeHead(409, { "content-type": "text/plain" }).end("no");
  });
  const { status, headers, body, warnings } = await server.transport.request({
    method: "GET",
    path: "/",
  });
  assert.deepEqual(
    [status, headers["content-type"], body, warnings],
    [409, "text/plain", "no", ["one", "two"]],
  );
});

test("QuickTransport retries reads after a kept connection has ended, but not writes", async () => {
  await using server = await serve((response, { method, socket }, count) => {
    if (count === 2 || method === "POST") socket.destroy();
    else json(response, count);
  });
  const get = () => server.transport.request({ method: "GET", path: "/a" });
  assert.equal((await get()).body, 1);
  assert.equal((await get()).body, 3);
  const written = server.transport.request({ method: "POST", path: "/a", body: {} });
  await assert.rejects(written, { message: `Post "${server.url}/a": EOF` });
  assert.equal((await get()).body, 5);
  assert.deepEqual([server.requests.length, server.connections.length], [5, 3]);
});

test("QuickTransport writes on a new connection if the server has ended the kept one", async () => {
  await using server = await serve((response, _, count) => json(response, count));
  await server.transport.request({ method: "GET", path: "/a" });
  const [first] = server.connections;
  const closed = first && once(first, "close");
  first?.end();
  await closed;
  const written = await server.transport.request({ method: "POST", path: "/a", body: {} });
  assert.deepEqual([written.body, server.connections.length], [2, 2]);
});

test("QuickTransport rejects after the timeout, or when the signal aborts", async () => {
  await using server = await serve((response, { url }) => {
    if (url?.endsWith("/quick")) json(response, "here");
  });
  const slow = server.transport.request({ method: "GET", path: "/slow", timeoutMs: 50 });
  await assert.rejects(slow, {
    message: `Get "${server.url}/slow": context deadline exceeded`,
  });
  const stop = new AbortController();
  const reason = new Error("no more");
  const aborted = server.transport.request({ method: "GET", path: "/", signal: stop.signal });
  stop.abort(reason);
  await assert.rejects(aborted, reason);
  assert.equal((await server.transport.request({ method: "GET", path: "/quick" })).body, "here");
});

test("QuickTransport rejects header values with line breaks", async () => {
  await using server = await serve((response) => json(response, "here"));
  const headers = { "impersonate-user": "a\r\nb: c" };
  await assert.rejects(server.transport.request({ method: "GET", path: "/", headers }), {
    message: `Get "${server.url}/": net/http: invalid header field value for "Impersonate-User"`,
  });
  assert.deepEqual(server.requests, []);
});
