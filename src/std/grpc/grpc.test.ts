import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Handlers, implement, type RunningServer, serve } from "#/testing/grpc-server.ts";
import { until } from "#/testing/until.ts";
import { aborted } from "../async/aborted.ts";
import { message } from "../protobuf/protobuf.ts";
import { int32, string } from "../protobuf/protobuf-field.ts";
import { bidi, GrpcError, serverStream, service, unary } from "./grpc.ts";
import { openChannel } from "./grpc-channel.ts";
import { type ServiceClient, serviceClient } from "./grpc-client.ts";

const Text = message({ text: string(1) });
const Count = message({ count: int32(1) });
const Echo = service("test.Echo", {
  Say: unary(Text, Text),
  CountTo: serverStream(Count, Count),
  Chat: bidi(Text, Text),
  Missing: unary(Text, Text),
});

/** Calls that hang, or did. */
let hanging = 0;

const handlers: Handlers<typeof Echo> = {
  async Say({ text }, { metadata, signal }) {
    if (text === "fail") throw new GrpcError("NOT_FOUND", "no such text");
    if (text === "crash") throw new Error("oops");
    if (text === "hang") {
      hanging++;
      await aborted(signal);
    }
    return { text: text + (metadata.get("suffix") ?? "") };
  },
  async *CountTo({ count }) {
    for (let index = 1; index <= count; index++) yield { count: index };
    if (count === 0) throw new GrpcError("OUT_OF_RANGE", "nothing to count");
  },
  async *Chat(requests) {
    for await (const { text } of requests) yield { text: text.toUpperCase() };
  },
};

/**
 * Number of calls after which an idle writer counts as held back: each call takes as long as
 * several writes.
 */
const idleRoundTrips = 50;

interface Fixture extends AsyncDisposable {
  readonly echo: ServiceClient<typeof Echo>;
  readonly server: RunningServer;
}

async function fixture(): Promise<Fixture> {
  const directory = await mkdtemp(join(tmpdir(), "k8ts-grpc-"));
  const path = join(directory, "echo 100%.sock");
  const server = await serve({ address: `unix:${path}`, services: [implement(Echo, handlers)] });
  const channel = openChannel({ address: `unix://${path}` });
  return {
    echo: serviceClient(Echo, channel),
    server,
    async [Symbol.asyncDispose]() {
      channel.close();
      await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(items);
}

/** Matches a GrpcError for assert.rejects. */
function failure(code: string, details: string, sent = true): object {
  return { name: "GrpcError", code, details, sent };
}

describe("a unary call", () => {
  test("carries message and metadata", async () => {
    await using it = await fixture();
    const { text } = await it.echo.Say({ text: "hi" }, { metadata: { suffix: "!" } });
    assert.equal(text, "hi!");
  });

  test("fails with the handler's status", async () => {
    await using it = await fixture();
    const not = it.echo.Say({ text: "fail" });
    await assert.rejects(not, failure("NOT_FOUND", "no such text"));
    await assert.rejects(it.echo.Say({ text: "crash" }), failure("UNKNOWN", "oops"));
    await assert.rejects(it.echo.Missing({}), { code: "UNIMPLEMENTED" });
  });

  test("can be aborted, before and during", async () => {
    await using it = await fixture();
    const signal = AbortSignal.timeout(20);
    await assert.rejects(it.echo.Say({ text: "hang" }, { signal }), { code: "CANCELLED" });
    await assert.rejects(
      it.echo.Say({ text: "hang" }, { signal }),
      failure("CANCELLED", "aborted", false),
    );
  });

  test("fails at its deadline, and may have been sent by then", async () => {
    await using it = await fixture();
    const late = it.echo.Say({ text: "hang" }, { timeoutMs: 20 });
    await assert.rejects(late, { code: "DEADLINE_EXCEEDED", sent: true });
  });

  test("without a server was not sent", async () => {
    const channel = openChannel({ address: "http://127.0.0.1:1" });
    const { Say } = serviceClient(Echo, channel);
    await assert.rejects(Say({ text: "x" }), { code: "UNAVAILABLE", sent: false });
    await assert.rejects(Say({ text: "x" }), { code: "UNAVAILABLE", sent: false });
    channel.close();
    await assert.rejects(Say({ text: "x" }), { sent: false });
  });

  test("whose connection broke may have been sent", async () => {
    await using it = await fixture();
    await it.echo.Say({ text: "connect" });
    const before = hanging;
    const broken = assert.rejects(it.echo.Say({ text: "hang" }), { sent: true });
    await until("the call arrives", () => hanging > before);
    await it.server[Symbol.asyncDispose]();
    await broken;
  });

  test("to a silent server over TLS was not sent", async () => {
    await using mute = createServer();
    const sockets = new Set<Disposable>();
    mute.on("connection", (socket) => sockets.add({ [Symbol.dispose]: () => socket.destroy() }));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const address = mute.address();
    assert.ok(address && typeof address === "object");
    const channel = openChannel({ address: `https://127.0.0.1:${address.port}` });
    const { Say } = serviceClient(Echo, channel);
    const silent = Say({ text: "x" }, { timeoutMs: 50 });
    await assert.rejects(silent, { code: "DEADLINE_EXCEEDED", sent: false });
    channel.close();
    for (const socket of sockets) socket[Symbol.dispose]();
  });
});

describe("a stream of responses", () => {
  test("arrives whole and in order", async () => {
    await using it = await fixture();
    const counts = (await collect(it.echo.CountTo({ count: 500 }))).map(({ count }) => count);
    assert.deepEqual(
      counts,
      Array.from({ length: 500 }, (_, index) => index + 1),
    );
  });

  test("ends with the handler's status", async () => {
    await using it = await fixture();
    const nothing = collect(it.echo.CountTo({ count: 0 }));
    await assert.rejects(nothing, failure("OUT_OF_RANGE", "nothing to count"));
  });

  test("that failed before it is read still throws", async () => {
    await using it = await fixture();
    const responses = it.echo.CountTo({ count: 0 });
    // Its response follows on the same connection: the failure has arrived by then.
    await it.echo.Say({ text: "later" });
    await assert.rejects(collect(responses), failure("OUT_OF_RANGE", "nothing to count"));
  });

  test("is cancelled by leaving the loop", async () => {
    await using it = await fixture();
    for await (const { count } of it.echo.CountTo({ count: 1e9 })) {
      if (count === 3) break;
    }
  });
});

describe("a call with a stream each way", () => {
  test("responds to each request", async () => {
    await using it = await fixture();
    using chat = it.echo.Chat();
    const answers = chat[Symbol.asyncIterator]();
    for (const text of ["a", "b"]) {
      await chat.write({ text });
      const value = [{ text: text.toUpperCase() }];
      assert.deepEqual(await answers.next(), { done: false, value });
    }
    chat.end();
    assert.deepEqual(await answers.next(), { done: true, value: undefined });
  });

  test("ends when aborted, and writing then does no harm", async () => {
    await using it = await fixture();
    const abort = new AbortController();
    using chat = it.echo.Chat({ signal: abort.signal });
    await chat.write({ text: "a" });
    const rest = collect(chat);
    abort.abort();
    await assert.rejects(rest, { code: "CANCELLED" });
    await chat.write({ text: "b" });
  });

  test("holds the writer back when the reader is slow", async () => {
    await using it = await fixture();
    using chat = it.echo.Chat();
    let written = 0;
    const text = "x".repeat(100_000);
    const writer = (async () => {
      for (; written < 1000; written++) await chat.write({ text });
      chat.end();
    })();
    await using elsewhere = await fixture();
    let still = 0;
    await until("the writer waits", async () => {
      const before = written;
      await elsewhere.echo.Say({ text: "meanwhile" });
      still = written === before ? still + 1 : 0;
      return still === idleRoundTrips;
    });
    assert.ok(written < 500, `${written} requests of 100 kB were taken though nobody reads`);
    let read = 0;
    for await (const responses of chat) {
      for (const response of responses) read += response.text.length / text.length;
    }
    await writer;
    assert.equal(read, 1000);
  });
});

test("openChannel() refuses an unsupported address", () => {
  for (const address of ["127.0.0.1:2379", "ftp://host", "unix://", ""]) {
    assert.throws(() => openChannel({ address }), TypeError);
  }
});
