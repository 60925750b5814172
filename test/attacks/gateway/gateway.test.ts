import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect, createServer as createTcp } from "node:net";
import { test } from "node:test";
import type { Ingress } from "#/api/networking/v1.ts";
import { Backends } from "#/gateway/backends/backends.ts";
import { planIngresses } from "#/gateway/ingress/plan-ingresses.ts";
import { Forwarder } from "#/gateway/serve/forwarder.ts";
import { Listener } from "#/gateway/serve/listener.ts";
import { findTarget } from "#/gateway/table/find-target.ts";
import { buildRouteTable } from "#/gateway/table/route-table.ts";
import { systemRandom } from "#/std/base/random.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";

/** A gateway in front of a backend that notes the requests that it gets. */
async function openGateway(clock: Clock = systemClock, backendPort = 0) {
  const stack = new AsyncDisposableStack();
  const seen: string[] = [];
  const server: Server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    incoming.resume().once("end", () => response.end("ok"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = backendPort || (server.address() as { port: number }).port;
  const target = { kind: "backend", namespace: "ns", service: "web", port: 80 } as const;
  const none = { kind: "reply", status: 404, text: "none\n" } as const;
  const rules = [
    { host: "", match: "Prefix", path: "/", target },
    { host: "", match: "Prefix", path: "/admin", target: none },
  ] as const;
  const table = buildRouteTable(rules, none);
  const backends = new Backends({
    service: () => ({ metadata: {}, spec: { ports: [{ port: 80, name: "p" }] } }),
    slices: () => [
      {
        metadata: {},
        addressType: "IPv4",
        endpoints: [{ addresses: ["127.0.0.1"] }],
        ports: [{ name: "p", port }],
      },
    ],
  });
  const options = { backends, clock, random: systemRandom, onReply: () => undefined };
  const forwarder = stack.use(new Forwarder(options));
  const listener = stack.use(
    new Listener({ forwarder, clock, publicPort: 80, findTable: () => table }),
  );
  return {
    port: await listener.listen(0, "127.0.0.1"),
    seen,
    listener,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** All that comes back for some bytes until the gateway ends the connection. */
async function exchangeBytes(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text, "latin1");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

const smuggled = "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n";

for (const { name, head } of [
  { name: "a length and chunks", head: "Content-Length: 4\r\nTransfer-Encoding: chunked" },
  { name: "chunks and a length", head: "Transfer-Encoding: chunked\r\nContent-Length: 4" },
  { name: "two lengths", head: "Content-Length: 4\r\nContent-Length: 40" },
  { name: "a list of lengths", head: "Content-Length: 4, 40" },
  { name: "a length with sign", head: "Content-Length: +4" },
  { name: "a length with a space within", head: "Content-Length: 4 0" },
  { name: "chunks in another spelling", head: "Transfer-Encoding: xchunked" },
  { name: "chunks behind a tab", head: "Transfer-Encoding:\tchunked, identity" },
  { name: "chunks twice", head: "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked" },
  { name: "a space before the colon", head: "Transfer-Encoding : chunked" },
  { name: "a field that continues", head: "X: y\r\n Transfer-Encoding: chunked" },
  { name: "a bare LF", head: "X: y\nTransfer-Encoding: chunked" },
  { name: "a bare CR", head: "X: y\rTransfer-Encoding: chunked" },
  { name: "a NUL", head: "X: y\0\r\nTransfer-Encoding: chunked" },
  { name: "two Hosts", head: "Host: b" },
  { name: "no version", head: "X" },
]) {
  test(`a request behind ${name} reaches no backend`, async () => {
    await using gateway = await openGateway();
    const text = `POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n0\r\n\r\n${smuggled}`;
    const answer = await exchangeBytes(gateway.port, text);
    assert.match(answer, /^HTTP\/1\.1 4|^HTTP\/1\.1 501/);
    assert.equal(answer.split("HTTP/1.1 ").length, 2);
    assert.deepEqual(gateway.seen, []);
  });
}

for (const { name, body } of [
  { name: "with a bare LF", body: "4\nabcd\r\n0\r\n\r\n" },
  { name: "longer than its size", body: "4\r\nabcde\r\n0\r\n\r\n" },
  { name: "with a size in 0x", body: "0x4\r\nabcd\r\n0\r\n\r\n" },
  { name: "with a negative size", body: "-4\r\nabcd\r\n0\r\n\r\n" },
  { name: "with a huge size", body: "fffffffffffffffff\r\nabcd\r\n0\r\n\r\n" },
]) {
  test(`a chunk ${name} ends the connection`, async () => {
    await using gateway = await openGateway();
    const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    const answer = await exchangeBytes(gateway.port, head + body + smuggled);
    assert.doesNotMatch(answer, / 200 /);
    assert.ok(!gateway.seen.includes("GET /admin"));
  });
}

test("requests of one connection are routed each for itself", async () => {
  await using gateway = await openGateway();
  const first = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
  const last = "GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  const answer = await exchangeBytes(gateway.port, first + smuggled + last);
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ["200", "404", "200"]);
  assert.deepEqual(gateway.seen, ["POST /a", "GET /b"]);
});

test("bytes behind a response are not taken for the next response", async () => {
  const evil = createTcp((socket) => {
    socket.on("error", () => undefined);
    const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n${text}`;
    socket.on("data", () => socket.write(answer("good") + answer("evil")));
  });
  evil.listen(0, "127.0.0.1");
  await once(evil, "listening");
  await using gateway = await openGateway(systemClock, (evil.address() as { port: number }).port);
  for (let count = 0; count < 5; count++) {
    const reply = await fetch(`http://127.0.0.1:${gateway.port}/`);
    assert.equal(await reply.text(), "good");
  }
  evil.close();
});

test("clients that send their fields slowly are given up, others are served meanwhile", async () => {
  const clock = new FakeClock();
  await using gateway = await openGateway(clock);
  const slow = connect(gateway.port, "127.0.0.1");
  slow.write("GET / HTTP/1.1\r\nHost: a\r\nX-a: ");
  await until("the connection", () => gateway.listener.size === 1);
  const chunks: string[] = [];
  slow.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  let hasEnded = false;
  slow.once("close", () => {
    hasEnded = true;
  });
  await until("the end", async () => {
    if (!hasEnded) slow.write("y");
    await clock.advance(1_000);
    return hasEnded;
  });
  assert.match(chunks.join(""), /^HTTP\/1\.1 408 /);
  assert.equal((await fetch(`http://127.0.0.1:${gateway.port}/`)).status, 200);
});

test("endless fields are refused before they are complete", async () => {
  await using gateway = await openGateway();
  const bomb = `GET / HTTP/1.1\r\nHost: a\r\n${"x: y\r\n".repeat(100_000)}`;
  const socket = connect(gateway.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(bomb);
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 431 /);
  socket.destroy();
});

test("streams that are reset at once end their connection, not the gateway", async () => {
  await using gateway = await openGateway();
  const session = connectHttp2(`http://127.0.0.1:${gateway.port}`);
  session.on("error", () => undefined);
  let hasEnded = false;
  session.once("close", () => {
    hasEnded = true;
  });
  await until("the end of the connection", () => {
    for (let count = 0; count < 50 && !hasEnded && !session.destroyed; count++) {
      const stream = session.request({ ":path": "/" });
      stream.on("error", () => undefined);
      stream.close(8);
    }
    return hasEnded;
  });
  assert.equal((await fetch(`http://127.0.0.1:${gateway.port}/`)).status, 200);
});

test("an idle connection costs little memory", async () => {
  const count = 1_000;
  /** With the client and the connection to the backend, which are in this process, too. */
  const limitBytes = 160 * 1024;
  await using gateway = await openGateway();
  const before = process.memoryUsage().rss;
  const sockets = Array.from({ length: count }, () => connect(gateway.port, "127.0.0.1"));
  for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await until("all requests", () => gateway.seen.length === count);
  const perConnection = (process.memoryUsage().rss - before) / count;
  assert.ok(perConnection < limitBytes, `${perConnection} bytes`);
  for (const socket of sockets) socket.destroy();
});

test("the time to find a route does not grow with their number", () => {
  const cost = (count: number): number => {
    const ingresses = Array.from({ length: count }, (_, index) => ingressOf(index));
    const classes = [{ metadata: { name: "k8ts" }, spec: { controller: "k8ts.dev/gateway" } }];
    const { table } = planIngresses({ ingresses, classes, balancers: [], localDomain: "" });
    const asked = Array.from({ length: 1_000 }, (_, index) => ({
      method: "GET",
      host: `h${(index * 7) % count}.example`,
      path: "/a/b/c",
      query: "",
      fields: [],
    }));
    const look = (): void => {
      for (const one of asked) assert.equal(findTarget(table, one).kind, "backend");
    };
    for (let round = 0; round < 20; round++) look();
    const { user, system } = process.cpuUsage();
    for (let round = 0; round < 50; round++) look();
    const used = process.cpuUsage();
    return used.user + used.system - user - system;
  };
  assert.ok(cost(10_000) < 8 * cost(100) + 10_000);
});

const ingressOf = (index: number): Ingress => ({
  metadata: { name: `i${index}`, namespace: "ns" },
  spec: {
    ingressClassName: "k8ts",
    rules: [
      {
        host: `h${index}.example`,
        http: {
          paths: [
            {
              path: "/",
              pathType: "Prefix",
              backend: { service: { name: "web", port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
});
