import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import {
  connect as connectHttp2,
  createServer as createHttp2,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { connect as connectTcp, createServer as createTcp } from "node:net";
import { test } from "node:test";
import { connect as connectTls, createSecureContext } from "node:tls";
import { systemRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import { makeSelfSigned } from "#/std/x509/self-signed.ts";
import { freePort } from "#/testing/free-port.ts";
import { Backends } from "../backends/backends.ts";
import { buildRouteTable, type Target } from "../table/route-table.ts";
import { Forwarder } from "./forwarder.ts";
import { Listener } from "./listener.ts";

const { certificate, key } = makeSelfSigned({
  commonName: "web.example",
  names: ["web.example"],
  now: systemClock.now(),
});
const context = createSecureContext({ cert: certificate, key });

/** A gateway in front of backends at these ports of localhost: all paths of any host lead to them. */
const gatewayTo = (...ports: readonly number[]) => gatewayWith("", ...ports);

/** The same, in front of backends of a protocol. */
async function gatewayWith(appProtocol: string, ...ports: readonly number[]) {
  const stack = new AsyncDisposableStack();
  const target: Target = { kind: "backend", namespace: "ns", service: "web", port: 80 };
  const none: Target = { kind: "reply", status: 404, text: "none\n" };
  const table = buildRouteTable([{ host: "", match: "Prefix", path: "/", target }], none);
  const backends = new Backends({
    service: () => ({ metadata: {}, spec: { ports: [{ port: 80, name: "p", appProtocol }] } }),
    slices: () =>
      ports.map((port) => ({
        metadata: {},
        addressType: "IPv4",
        endpoints: [{ addresses: ["127.0.0.1"] }],
        ports: [{ name: "p", port }],
      })),
  });
  const statuses: number[] = [];
  const forwarder = stack.use(
    new Forwarder({
      backends,
      clock: systemClock,
      random: systemRandom,
      onReply: (status) => void statuses.push(status),
    }),
  );
  const shared = { forwarder, findTable: () => table, clock: systemClock };
  const plain = stack.use(new Listener({ ...shared, publicPort: 80 }));
  const secure = stack.use(new Listener({ ...shared, publicPort: 443, contextFor: () => context }));
  return {
    http: await plain.listen(0, "127.0.0.1"),
    https: await secure.listen(0, "127.0.0.1"),
    statuses,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A backend of one listener. */
async function backend(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    port,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const bodyOf = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** A backend that shows what it has received. */
const echo: RequestListener = (incoming, response) =>
  void bodyOf(incoming).then((body) => {
    response.setHeader("x-backend", "echo");
    response.end(
      JSON.stringify({ ...incoming.headers, method: incoming.method, url: incoming.url, body }),
    );
  });

/** Sends bytes to a port, and resolves with all that comes back. */
async function exchangeBytes(port: number, text: string): Promise<string> {
  const socket = connectTcp(port, "127.0.0.1");
  socket.write(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

test("Listener passes requests on over HTTP/1.1, with the client's facts", async () => {
  await using web = await backend(echo);
  await using gateway = await gatewayTo(web.port);
  const reply = await fetch(`http://127.0.0.1:${gateway.http}/a?b=c`, {
    method: "POST",
    body: "hello",
    headers: { "x-forwarded-for": "6.6.6.6", "x-own": "1" },
  });
  assert.equal(reply.headers.get("x-backend"), "echo");
  const seen = (await reply.json()) as Record<string, string>;
  assert.deepEqual(
    [seen["method"], seen["url"], seen["body"], seen["host"], seen["x-own"]],
    ["POST", "/a?b=c", "hello", `127.0.0.1:${gateway.http}`, "1"],
  );
  assert.deepEqual(
    [seen["x-forwarded-for"], seen["x-forwarded-proto"], seen["x-forwarded-port"]],
    ["127.0.0.1", "http", "80"],
  );
});

test("Listener speaks HTTP/2 over TLS by the name that a client asks for", async () => {
  await using web = await backend(echo);
  await using gateway = await gatewayTo(web.port);
  const session = connectHttp2(`https://127.0.0.1:${gateway.https}`, {
    servername: "web.example",
    ca: certificate,
  });
  const stream = session.request({
    ":path": "/x",
    ":method": "POST",
    ":authority": "web.example",
    cookie: ["a=1", "b=2"],
  });
  stream.end("over two");
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  assert.equal(headers[":status"], 200);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const seen = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
  assert.deepEqual(
    [seen["host"], seen["body"], seen["cookie"], seen["x-forwarded-proto"]],
    ["web.example", "over two", "a=1; b=2", "https"],
  );
  session.close();
});

test("Listener passes bodies on in both directions, as fast as they are read", async () => {
  const size = 8 * 1024 * 1024;
  await using web = await backend((incoming, response) => void incoming.pipe(response));
  await using gateway = await gatewayTo(web.port);
  const body = Buffer.alloc(size, "k8ts");
  const reply = await fetch(`http://127.0.0.1:${gateway.http}/`, { method: "PUT", body });
  assert.ok(Buffer.from(await reply.arrayBuffer()).equals(body));
});

test("Listener joins WebSockets", async () => {
  await using web = await backend(echo);
  web.server.on("upgrade", (incoming, socket) => {
    socket.write(
      `HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: Upgrade\r\nx-path: ${incoming.url}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  await using gateway = await gatewayTo(web.port);
  const client = request({
    port: gateway.http,
    host: "127.0.0.1",
    path: "/chat",
    headers: { connection: "Upgrade", upgrade: "websocket" },
  });
  client.end();
  const [response, socket] = (await once(client, "upgrade")) as [IncomingMessage, NodeJS.Socket];
  assert.equal(response.headers["x-path"], "/chat");
  socket.write("ping");
  const [data] = (await once(socket, "data")) as [Buffer];
  assert.equal(data.toString(), "ping");
  (socket as unknown as { destroy(): void }).destroy();
});

test("Listener refuses a WebSocket that the backend refuses", async () => {
  await using web = await backend((_incoming, response) => void response.writeHead(403).end());
  await using gateway = await gatewayTo(web.port);
  const client = request({
    port: gateway.http,
    host: "127.0.0.1",
    headers: { connection: "Upgrade", upgrade: "websocket" },
  });
  client.end();
  const [response] = (await once(client, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 403);
});

test("Listener tries the next endpoint when one can't be reached", async () => {
  await using web = await backend(echo);
  await using gateway = await gatewayTo(await freePort(), web.port);
  for (const _ of [1, 2, 3]) {
    const reply = await fetch(`http://127.0.0.1:${gateway.http}/`, { method: "POST", body: "x" });
    assert.equal(reply.status, 200);
  }
});

for (const { name, answer, status } of [
  { name: "talks nonsense", answer: "nonsense\r\n\r\n", status: 502 },
  { name: "hangs up", answer: "", status: 502 },
  {
    name: "smuggles a length",
    answer: "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    status: 502,
  },
  {
    name: "has endless fields",
    answer: `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(40_000)}\r\n`,
    status: 502,
  },
]) {
  test(`Listener answers ${status} for a backend that ${name}`, async () => {
    const server = createTcp((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(answer));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    await using gateway = await gatewayTo((server.address() as { port: number }).port);
    const reply = await fetch(`http://127.0.0.1:${gateway.http}/`, { method: "POST", body: "x" });
    assert.equal(reply.status, status);
    assert.deepEqual(gateway.statuses, [status]);
    server.close();
  });
}

test("Listener cuts off a response that its backend cuts off", async () => {
  await using web = await backend((_incoming, response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("half", () => response.destroy());
  });
  await using gateway = await gatewayTo(web.port);
  const reply = await fetch(`http://127.0.0.1:${gateway.http}/`);
  await assert.rejects(reply.text());
});

test("Listener answers 503 without endpoints", async () => {
  await using gateway = await gatewayTo();
  assert.equal((await fetch(`http://127.0.0.1:${gateway.http}/`)).status, 503);
});

for (const { name, head, status } of [
  {
    name: "two lengths",
    head: "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2",
    status: 400,
  },
  {
    name: "a length and chunks",
    head: "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked",
    status: 400,
  },
  { name: "no Host", head: "GET / HTTP/1.1", status: 400 },
  { name: "a strange Host", head: "GET / HTTP/1.1\r\nhost: a/b", status: 400 },
  { name: "a folded field", head: "GET / HTTP/1.1\r\nhost: a\r\nx: y\r\n z", status: 400 },
  { name: "a space before a colon", head: "GET / HTTP/1.1\r\nhost: a\r\nx : y", status: 400 },
  {
    name: "endless fields",
    head: `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(70_000)}`,
    status: 431,
  },
  { name: "CONNECT", head: "CONNECT a:80 HTTP/1.1\r\nhost: a", status: 400 },
]) {
  test(`Listener refuses requests with ${name}`, async () => {
    let reached = 0;
    await using web = await backend((_incoming, response) => {
      reached++;
      response.end();
    });
    await using gateway = await gatewayTo(web.port);
    const answer = await exchangeBytes(gateway.http, `${head}\r\nconnection: close\r\n\r\n`);
    assert.equal(answer.slice(0, 12), `HTTP/1.1 ${status}`);
    assert.equal(reached, 0);
  });
}

test("Listener does not pass an upgrade to h2c on", async () => {
  await using web = await backend(echo);
  await using gateway = await gatewayTo(web.port);
  const answer = await exchangeBytes(
    gateway.http,
    "GET / HTTP/1.1\r\nhost: a\r\nconnection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n",
  );
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.doesNotMatch(answer, /upgrade|http2-settings/i);
});

test("Listener passes a URL as target on as its path, with its own host", async () => {
  await using web = await backend(echo);
  await using gateway = await gatewayTo(web.port);
  const answer = await exchangeBytes(
    gateway.http,
    "GET http://web.example/x/../y HTTP/1.1\r\nhost: other\r\nconnection: close\r\n\r\n",
  );
  assert.match(answer, /"host":"web\.example"/);
  assert.match(answer, /"url":"\/y"/);
});

test("Listener lets requests end when it closes", async () => {
  const begun = Promise.withResolvers<() => void>();
  await using web = await backend((_incoming, response) =>
    begun.resolve(() => response.end("done")),
  );
  const gateway = await gatewayTo(web.port);
  const reply = fetch(`http://127.0.0.1:${gateway.http}/`);
  const finish = await begun.promise;
  const closed = gateway[Symbol.asyncDispose]();
  finish();
  assert.equal(await (await reply).text(), "done");
  await closed;
});

test("Listener has the certificate of the asked name", async () => {
  await using gateway = await gatewayTo();
  const socket = connectTls({
    port: gateway.https,
    host: "127.0.0.1",
    servername: "web.example",
    ca: certificate,
    ALPNProtocols: ["http/1.1"],
  });
  await once(socket, "secureConnect");
  assert.equal(socket.authorized, true);
  socket.destroy();
});

test("Listener lets a client continue that waits with its body", async () => {
  await using web = await backend(echo);
  await using gateway = await gatewayTo(web.port);
  const socket = connectTcp(gateway.http, "127.0.0.1");
  const head = "POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4";
  socket.write(`${head}\r\nconnection: close\r\n\r\n`);
  const [first] = (await once(socket, "data")) as [Buffer];
  assert.match(first.toString(), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  socket.write("body");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  assert.match(Buffer.concat(chunks).toString(), /"body":"body"/);
});

for (const { name, request: text, expected } of [
  { name: "HEAD", request: "HEAD /length HTTP/1.1", expected: /content-length: 5[\s\S]*\r\n\r\n$/ },
  {
    name: "no content",
    request: "GET /204 HTTP/1.1",
    expected: /^HTTP\/1\.1 204 [\s\S]*\r\n\r\n$/,
  },
  {
    name: "chunks",
    request: "GET /chunks HTTP/1.1",
    expected:
      /transfer-encoding: chunked[\s\S]*\r\n\r\n(?:2\r\nab\r\n2\r\ncd|4\r\nabcd)\r\n0\r\n\r\n$/,
  },
  {
    name: "HTTP/1.0",
    request: "GET /chunks HTTP/1.0",
    expected: /^HTTP\/1\.1 200 (?![\s\S]*chunked)[\s\S]*\r\n\r\nabcd$/,
  },
]) {
  test(`Listener delimits responses: ${name}`, async () => {
    await using web = await backend((incoming, response) => {
      if (incoming.url === "/204") response.writeHead(204).end();
      else if (incoming.url === "/length") response.setHeader("content-length", 5).end();
      else {
        response.write("ab");
        response.end("cd");
      }
    });
    await using gateway = await gatewayTo(web.port);
    const answer = await exchangeBytes(
      gateway.http,
      `${text}\r\nhost: a\r\nconnection: close\r\n\r\n`,
    );
    assert.match(answer, expected);
  });
}

test("Listener asks an h2c backend over HTTP/2, and passes trailers on", async () => {
  const server = createHttp2();
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.respond({ ":status": 200, "x-path": headers[":path"] }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.pipe(stream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await using gateway = await gatewayWith("kubernetes.io/h2c", port);
  const session = connectHttp2(`http://127.0.0.1:${gateway.http}`);
  const stream = session.request({ ":path": "/a.B/C", ":method": "POST", te: "trailers" });
  stream.end("call");
  const trailers = once(stream, "trailers");
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  assert.equal(Buffer.concat(chunks).toString(), "call");
  const [fields] = (await trailers) as [Record<string, string>];
  assert.equal(fields["grpc-status"], "0");
  session.close();
  server.close();
});
