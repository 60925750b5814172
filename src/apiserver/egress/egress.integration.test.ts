import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { request } from "node:https";
import { type AddressInfo, connect, createServer as createTcp, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Clock } from "#/std/time/clock.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { until } from "#/testing/until.ts";
import { Transport } from "../outgoing/transport.ts";
import { type Egress, httpsAgent, openEgress } from "./egress.ts";
import { ProxyService } from "./konnectivity-service.ts";

/** A server that echoes requests, and one that sends first after an upgrade. */
async function startBackend(t: TestContext): Promise<number> {
  const server = createServer((request, response) => response.end(`seen ${request.url}`));
  server.on("upgrade", (_request, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

interface Proxy {
  readonly protocol: string;
  /** Requested addresses. */
  readonly asked: string[];
  listen(path: string): Promise<AsyncDisposable>;
}

/** Supports CONNECT; refuses one address, and never responds for another. */
function connectProxy(): Proxy {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcp((client) => {
    sockets.add(client);
    client.on("error", () => client.destroy());
    client.once("data", (head) => {
      const [, address = ""] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head.toString()) ?? [];
      asked.push(address);
      if (address.startsWith("nowhere:")) {
        client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
        return;
      }
      if (address.startsWith("silent:")) return;
      const backend = connect(Number(address.split(":")[1]), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        client.pipe(backend).pipe(client);
      });
      sockets.add(backend);
      backend.on("error", () => client.destroy());
    });
  });
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return {
    protocol: "HTTPConnect",
    asked,
    async listen(path) {
      server.listen(path);
      await once(server, "listening");
      return { [Symbol.asyncDispose]: close };
    },
  };
}

/** Acts as konnectivity's server and agent, for one connection per call. */
function konnectivityProxy(): Proxy {
  const asked: string[] = [];
  const service = implement(ProxyService, {
    async *Proxy(packets) {
      const iterator = packets[Symbol.asyncIterator]();
      const { dialRequest } = (await iterator.next()).value ?? {};
      const { address = "", random = 0 } = dialRequest ?? {};
      asked.push(address);
      if (address.startsWith("nowhere:")) {
        yield { type: "DIAL_RSP", dialResponse: { error: "no route", random } };
        return;
      }
      if (address.startsWith("silent:")) {
        await iterator.next().catch(() => undefined);
        return;
      }
      const backend = connect(Number(address.split(":")[1]), "127.0.0.1");
      await once(backend, "connect");
      yield { type: "DIAL_RSP", dialResponse: { connectID: 7, random } };
      const forward = async () => {
        for await (const { type, data } of { [Symbol.asyncIterator]: () => iterator }) {
          if (type === "CLOSE_REQ") break;
          if (data) backend.write(data.data);
        }
        backend.end();
      };
      void forward().catch(() => backend.destroy());
      for await (const data of backend) yield { type: "DATA", data: { connectID: 7, data } };
      yield { type: "CLOSE_RSP", closeResponse: { connectID: 7 } };
    },
  });
  return {
    protocol: "GRPC",
    asked,
    listen: (path) => serve({ address: `unix:${path}`, services: [service] }),
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(response)).toString();
}

/** The egress of a configuration with a proxy for "cluster", which listens until the test ends. */
async function openThrough(t: TestContext, proxy: Proxy, clock?: Clock): Promise<Egress> {
  const directory = await mkdtemp(join(tmpdir(), "egress-"));
  const socket = join(directory, "proxy");
  const listening = await proxy.listen(socket);
  t.after(async () => {
    await listening[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  const file = join(directory, "egress.yaml");
  const connection = { proxyProtocol: proxy.protocol, transport: { uds: { udsName: socket } } };
  const selection = { name: "cluster", connection };
  const kind = { apiVersion: "apiserver.k8s.io/v1beta1", kind: "EgressSelectorConfiguration" };
  await writeFile(file, JSON.stringify({ ...kind, egressSelections: [selection] }));
  return openEgress(file, clock);
}

for (const startProxy of [connectProxy, konnectivityProxy]) {
  const { protocol } = startProxy();
  test(`openEgress() connects through a proxy with ${protocol}`, async (t) => {
    const proxy = startProxy();
    const port = await startBackend(t);
    const { cluster, controlPlane } = await openThrough(t, proxy);
    assert.equal(controlPlane, undefined);
    using transport = new Transport(() => ({}), cluster);
    const to = (hostname: string, path: string) => ({
      method: "GET",
      location: { scheme: "http" as const, hostname, port, path, query: "" },
      headers: {},
      signal: AbortSignal.timeout(30_000),
    });
    for (const path of ["/a", "/b"]) {
      assert.equal(await textOf(await transport.send(to("backend", path))), `seen ${path}`);
    }
    const asking = { ...to("backend", "/c"), headers: { connection: "upgrade", upgrade: "x" } };
    const { upgraded } = await transport.upgrade(asking);
    assert.ok(upgraded);
    upgraded.socket.write("hello");
    assert.equal(String((await once(upgraded.socket, "data"))[0]), "hello");
    upgraded.socket.destroy();
    await assert.rejects(transport.send(to("nowhere", "/")), /403 Forbidden|no route/);
    const backends = proxy.asked.filter((address) => address === `backend:${port}`);
    assert.ok(backends.length >= 2, "at least one connection each for requests and the upgrade");
    assert.equal(proxy.asked.at(-1), `nowhere:${port}`);
  });

  test(`openEgress() times out on a silent proxy with ${protocol}, but not on open connections`, async (t) => {
    const proxy = startProxy();
    const clock = new FakeClock();
    const port = await startBackend(t);
    const { cluster: dial } = await openThrough(t, proxy, clock);
    assert.ok(dial);
    const connection = await dial(`backend:${port}`);
    t.after(() => connection.destroy());
    const dialling = assert.rejects(dial("silent:80"), /i\/o timeout/);
    await until("the proxy is asked", () => proxy.asked.includes("silent:80"));
    await clock.advance(30_000);
    await dialling;
    assert.equal(clock.pendingTimers, 0);
    connection.write("GET /still HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert.match(Buffer.concat(await Array.fromAsync(connection)).toString(), /seen \/still$/);
  });
}

test("httpsAgent() refuses a key that does not match its certificate, and closes the connection", async (t) => {
  const port = await startBackend(t);
  const directory = await mkdtemp(join(tmpdir(), "egress-"));
  t.after(() => rm(directory, { recursive: true }));
  const authority = await TestAuthority.create(directory);
  const [{ certFile }, { keyFile }] = [
    await authority.issue("one"),
    await authority.issue("other"),
  ];
  const [cert, key] = [await readFile(certFile), await readFile(keyFile)];
  const socket = connect(port, "127.0.0.1");
  const agent = httpsAgent({ cert, key }, async () => socket);
  const asking = request({ host: "backend", port, agent });
  const [error] = (await once(asking, "error")) as [Error];
  assert.match(error.message, /key values mismatch/);
  assert.equal(socket.destroyed, true);
});

test("openEgress() is direct without a file", () => {
  assert.deepEqual(openEgress(""), {});
});
