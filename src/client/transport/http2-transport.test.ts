import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { ConnectionError } from "./connection-error.ts";
import { type Credentials, openCredentials } from "./credentials.ts";
import { Http2Transport } from "./http2-transport.ts";
import { networkTransportContract } from "./network-transport.contract.ts";

networkTransportContract("Http2Transport", (options) => new Http2Transport(options));

/** A server that counts its connections, and a transport to it. */
async function serveCounted(
  options: {
    readonly h2?: boolean;
    readonly maxConcurrentStreams?: number;
    readonly credentials?: (caFile: string) => Credentials;
    readonly clock?: FakeClock;
  } = {},
) {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "k8ts-http2-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const authority = await TestAuthority.create(folder);
  const { certFile, keyFile } = await authority.issue("server");
  const files = { cert: await readFile(certFile), key: await readFile(keyFile) };
  const { maxConcurrentStreams = 100, h2 = true } = options;
  const sockets = new Set<Socket>();
  const held = new Set<ServerResponse>();
  const seen: string[] = [];
  const handle = (
    request: { url?: string | undefined; httpVersion: string },
    response: ServerResponse,
  ) => {
    seen.push(`${request.httpVersion} ${request.url}`);
    response.setHeader("content-type", "application/json");
    if (request.url?.includes("watch")) {
      held.add(response);
      response.write('{"type":"BOOKMARK","object":{}}\n');
    } else response.end("{}");
  };
  const server = h2
    ? createSecureServer({ ...files, settings: { maxConcurrentStreams } }, handle as never)
    : createServer({ ...files, ALPNProtocols: ["http/1.1"] }, handle);
  server.on("secureConnection", (socket: Socket) => void sockets.add(socket));
  server.on("sessionError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const credentials = options.credentials?.(authority.caFile);
  const transport = new Http2Transport({
    server: `https://127.0.0.1:${port}`,
    credentials: credentials ?? openCredentials({ caFile: authority.caFile }),
    ...(options.clock && { clock: options.clock }),
  });
  stack.defer(() => transport[Symbol.asyncDispose]());
  return {
    transport,
    sockets,
    seen,
    get: () => transport.request({ method: "GET", path: "/api" }),
    /** Opens watches and waits for the first event of each. */
    watch: async (count: number) => {
      const all = Array.from({ length: count }, () =>
        transport.watch({ method: "GET", path: "/watch" })[Symbol.asyncIterator](),
      );
      await Promise.all(all.map((one) => one.next()));
      return all;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("Http2Transport sends all watches and requests over one connection", async () => {
  await using served = await serveCounted();
  await served.watch(50);
  await Promise.all(Array.from({ length: 20 }, () => served.get()));
  assert.equal(served.sockets.size, 1);
});

test("Http2Transport opens another connection when the server has no room in the first", async () => {
  await using served = await serveCounted({ maxConcurrentStreams: 4 });
  await served.watch(10);
  await served.get();
  assert.equal(served.sockets.size, 3);
});

test("Http2Transport frees the room of a watch that is left", async () => {
  await using served = await serveCounted({ maxConcurrentStreams: 2 });
  for (let round = 0; round < 10; round++) {
    for (const one of await served.watch(2)) await one.return?.(undefined);
  }
  assert.equal(served.sockets.size, 1);
});

test("Http2Transport closes idle connections after 90 s, but for one", async () => {
  const clock = new FakeClock();
  await using served = await serveCounted({ maxConcurrentStreams: 2, clock });
  const open = () => [...served.sockets].filter(({ destroyed }) => !destroyed).length;
  const [first, ...others] = await served.watch(6);
  assert.equal(open(), 3);
  for (const one of others) await one.return?.(undefined);
  await clock.advance(89_000);
  assert.equal((await served.get()).status, 200);
  assert.equal(open(), 3);
  await clock.advance(2_000);
  await until("the idle connections are closed", () => open() === 1);
  await first?.return?.(undefined);
  await clock.advance(200_000);
  assert.equal((await served.get()).status, 200);
  assert.equal(served.sockets.size, 3);
});

test("Http2Transport fails its watches when the connection is lost, and connects again", async () => {
  await using served = await serveCounted();
  const watches = await served.watch(3);
  for (const socket of served.sockets) socket.destroy();
  for (const one of watches) await assert.rejects(one.next(), ConnectionError);
  assert.equal((await served.get()).status, 200);
  assert.equal(served.sockets.size, 2);
});

test("Http2Transport talks HTTP/1.1 with a server that has no HTTP/2", async () => {
  await using served = await serveCounted({ h2: false });
  assert.equal((await served.get()).status, 200);
  await served.watch(2);
  assert.deepEqual(served.seen, ["1.1 /api", "1.1 /watch", "1.1 /watch"]);
});

test("Http2Transport ends a request at its timeout, and the connection goes on", async () => {
  await using served = await serveCounted();
  await served.get();
  const late = served.transport.request({ method: "GET", path: "/watch", timeoutMs: 20 });
  await assert.rejects(late, { isTimeout: true });
  await served.get();
  assert.equal(served.sockets.size, 1);
});

test("Http2Transport sends requests that wait for a connection with the renewed identity", async () => {
  let asked = 0;
  await using served = await serveCounted({
    credentials: (caFile) => {
      const [old, renewed] = [0, 1].map(() => ({ ca: readFileSync(caFile) }));
      return {
        headers: () => ({}),
        tls: () => (asked++ === 0 ? old : renewed) ?? {},
        [Symbol.dispose]: () => undefined,
      };
    },
  });
  const responses = await Promise.all([served.get(), served.get()]);
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200],
  );
});
