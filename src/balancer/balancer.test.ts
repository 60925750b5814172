import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { Balancer } from "./balancer.ts";

/** A server that says its name to each client, and what it receives after that. */
async function named(name: string): Promise<{ address: string; end: () => void }> {
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on("error", () => undefined);
    client.write(name);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const end = (): void => {
    server.close();
    for (const client of clients) client.destroy();
  };
  return { address: `https://127.0.0.1:${portOf(server)}`, end };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A connection by the balancer, with what it has received. */
async function ask(port: number): Promise<{ text: string; socket: Socket }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const [data] = (await once(socket, "data")) as [Buffer];
  return { text: data.toString(), socket };
}

test("Balancer closes connections to a server that fails, and leads new ones to another", async () => {
  const [a, b] = [await named("a"), await named("b")];
  const log = logger("test");
  const balancer = new Balancer({ clock: systemClock, log, own: undefined });
  const listener = balancer.listen();
  try {
    balancer.setServers([a.address, b.address]);
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const port = portOf(listener);
    const first = await ask(port);
    assert.equal(first.text, "a");
    // It answers no more, but its connections are open: without another server they stay.
    balancer.report(a.address, false);
    assert.equal(first.socket.closed, false);
    balancer.report(b.address, true);
    await until("the connection is closed", async () => first.socket.closed);
    const second = await ask(port);
    assert.equal(second.text, "b");
    b.end();
    await until("its end arrives", async () => second.socket.closed);
    // No check has reported it yet: the next connection finds out.
    const third = await ask(port);
    assert.equal(third.text, "a");
    third.socket.destroy();
  } finally {
    listener.close();
    balancer.close();
    a.end();
    b.end();
  }
});

test("Balancer keeps a half of its connections for root", async () => {
  const a = await named("a");
  const log = logger("test");
  let user = 1000;
  const findUser = async () => user;
  const balancer = new Balancer({ clock: systemClock, log, own: undefined, findUser });
  const listener = balancer.listen();
  const all: Socket[] = [];
  try {
    balancer.setServers([a.address]);
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const port = portOf(listener);
    const open = async (): Promise<string> => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      all.push(socket);
      const gone = once(socket, "close").then(() => "closed");
      return await Promise.race([gone, once(socket, "data").then(String)]);
    };
    for (let count = 0; count < 512; count++) assert.equal(await open(), "a");
    assert.equal(await open(), "closed");
    user = 0;
    assert.equal(await open(), "a");
  } finally {
    for (const socket of all) socket.destroy();
    balancer.close();
    listener.close();
    a.end();
  }
});
