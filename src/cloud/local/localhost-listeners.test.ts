import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { freePort } from "#/testing/free-port.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { LocalhostListeners } from "./localhost-listeners.ts";

async function echoServer() {
  const server = createServer((socket) => socket.pipe(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { port, [Symbol.dispose]: () => void server.close() };
}

async function echo(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end("hello");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test("LocalhostListeners passes connections on, and gives a port to its first owner", async () => {
  using target = await echoServer();
  using listeners = new LocalhostListeners("");
  const port = await freePort();
  const wanted = [{ port, address: "127.0.0.1", targetPort: target.port }];
  assert.deepEqual(await listeners.set("a", wanted), []);
  assert.equal(await echo(port), "hello");
  assert.deepEqual(await listeners.set("b", wanted), [port]);
  assert.deepEqual(await listeners.set("a", []), []);
  await assert.rejects(echo(port), /ECONNREFUSED/);
  assert.deepEqual(await listeners.set("b", wanted), []);
  assert.equal(await echo(port), "hello");
});

test("LocalhostListeners reports a port that another program has", async () => {
  using other = await echoServer();
  using listeners = new LocalhostListeners("");
  const wanted = [{ port: other.port, address: "127.0.0.1", targetPort: 1 }];
  assert.deepEqual(await listeners.set("a", wanted), [other.port]);
});

test("LocalhostListeners listens in another network namespace, and connects from its own", {
  skip: !mayMakeNamespaces && "needs root",
}, async () => {
  await using namespace = await NetworkNamespace.create();
  await namespace.sh("ip link set lo up");
  using target = await echoServer();
  using listeners = new LocalhostListeners(`/run/netns/${namespace.name}`);
  const wanted = [{ port: 8080, address: "127.0.0.1", targetPort: target.port }];
  assert.deepEqual(await listeners.set("a", wanted), []);
  assert.deepEqual(await listeners.set("b", wanted), [8080]);
  const script = `const s = require("node:net").connect(8080, "127.0.0.1"); s.end("hello"); s.pipe(process.stdout)`;
  assert.equal(await namespace.sh(`${process.execPath} -e '${script}'`), "hello");
});
