import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { FakeClock } from "./fake-clock.ts";
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

/** All that is said to one end, which stays open. */
async function heard(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part));
  await once(socket, "end");
  return Buffer.concat(parts).toString();
}

const long = "x".repeat(1_000_000);

test("joinConnections() passes on both ways, each to its end", async () => {
  await using client = await connected();
  await using backend = await connected();
  joinConnections(client.here, backend.here);
  client.there.end("question");
  assert.equal(await heard(backend.there), "question");
  backend.there.end(long);
  assert.equal(await heard(client.there), long);
});

for (const how of ["hangs up", "is cut off"] as const) {
  test(`joinConnections() passes on the last words of a side that ${how}, while the other talks`, async () => {
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
}

test("joinConnections() waits for a side that doesn't hang up, but not for ever", async () => {
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
