import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { joinConnections } from "./join-connections.ts";

interface Pair extends AsyncDisposable {
  readonly here: Socket;
  readonly there: Socket;
}

/** The two ends of a connection. */
async function connected(): Promise<Pair> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address && typeof address === "object");
  const there = connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
  const [here] = (await once(server, "connection")) as [Socket];
  return {
    here,
    there,
    async [Symbol.asyncDispose]() {
      here.destroy();
      there.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** All data received at one end, which stays open. */
async function heard(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part));
  await once(socket, "end");
  return Buffer.concat(parts).toString();
}

test("joinConnections() limits the bytes per second", async () => {
  await using near = await connected();
  await using far = await connected();
  const clock = new FakeClock();
  joinConnections(near.here, far.here, clock, 1_000);
  let bytes = 0;
  far.there.on("data", (part: Buffer) => {
    bytes += part.length;
  });
  near.there.end(Buffer.alloc(3_000));
  // Until the throttling timer is set, the clock may advance.
  const ended = once(far.there, "end");
  let seconds = 0;
  while (bytes < 3_000) {
    await clock.advance(100);
    seconds += 0.1;
  }
  await ended;
  assert.ok(seconds >= 2.9, `${seconds} s for three times what a second takes`);
});

const long = "x".repeat(1_000_000);

test("joinConnections() forwards both directions, each until its end", async () => {
  await using client = await connected();
  await using backend = await connected();
  joinConnections(client.here, backend.here);
  client.there.end("question");
  assert.equal(await heard(backend.there), "question");
  backend.there.end(long);
  assert.equal(await heard(client.there), long);
});

for (const how of ["hangs up", "is cut off"] as const) {
  test(`joinConnections() forwards the last data of a side that ${how}, while the other sends`, async () => {
    await using client = await connected();
    await using backend = await connected();
    joinConnections(client.here, backend.here);
    backend.there.write(long);
    while (client.here.bytesWritten < long.length) await once(backend.here, "data");
    if (how === "hangs up") backend.there.destroy();
    else backend.there.resetAndDestroy();
    client.there.write("not heard any more");
    assert.equal(await heard(client.there), long);
  });

  test(`joinConnections() forwards delayed data of a side that ${how}`, async () => {
    await using client = await connected();
    await using backend = await connected();
    const clock = new FakeClock();
    const words = "x".repeat(1_000);
    joinConnections(client.here, backend.here, clock, words.length / 10);
    backend.there.write(words);
    while (backend.here.bytesRead < words.length) await once(backend.here, "data");
    const closed = new Promise((resolve) => backend.here.once("close", resolve));
    if (how === "hangs up") backend.there.destroy();
    else backend.there.resetAndDestroy();
    if (how === "is cut off") await closed;
    const all = heard(client.there);
    await clock.advance(10_000);
    assert.equal(await all, words);
  });
}

test("joinConnections() drops data for a disconnected side, also if throttled", async () => {
  await using client = await connected();
  await using backend = await connected();
  const clock = new FakeClock();
  joinConnections(client.here, backend.here, clock, 1);
  backend.there.resetAndDestroy();
  assert.equal(await heard(client.there), "");
  // More than all buffers on the path hold.
  client.there.end(Buffer.alloc(16 << 20));
  await once(client.there, "finish");
});

test("joinConnections() waits a limited time for a side that doesn't close", async () => {
  await using client = await connected();
  await using backend = await connected();
  const clock = new FakeClock();
  joinConnections(client.here, backend.here, clock);
  backend.there.resetAndDestroy();
  assert.equal(await heard(client.there), "");
  assert.equal(client.here.destroyed, false);
  await clock.advance(5_000);
  assert.equal(client.here.destroyed, true);
});
