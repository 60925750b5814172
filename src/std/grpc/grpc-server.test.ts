import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { until } from "#/testing/until.ts";
import { message } from "../protobuf/protobuf.ts";
import { string } from "../protobuf/protobuf-field.ts";
import { systemClock } from "../time/clock.ts";
import { GrpcError, service, unary } from "./grpc.ts";
import { openChannel } from "./grpc-channel.ts";
import { serviceClient } from "./grpc-client.ts";
import { served, serveGrpc } from "./grpc-server.ts";

const Text = message({ text: string(1) });
const Echo = service("test.Echo", { Say: unary(Text, Text), Wait: unary(Text, Text) });
const More = service("test.Echo", { Unknown: unary(Text, Text) });

async function open(name = "s") {
  const folder = await mkdtemp(join(tmpdir(), "k8ts-grpc-"));
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  const handlers = {
    Say: async ({ text }: { text: string }) => {
      if (text === "fail") throw new GrpcError("NOT_FOUND", "no such 100%\n🚀");
      if (text === "throw") throw new Error("broken");
      return { text };
    },
    Wait: (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  const server = await serveGrpc({ path, clock: systemClock, services: [served(Echo, handlers)] });
  const channel = openChannel({ address: `unix://${path}` });
  return {
    path,
    echo: serviceClient(Echo, channel),
    more: serviceClient(More, channel),
    async [Symbol.asyncDispose]() {
      channel.close();
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

for (const text of ["", "hello", "x".repeat(300_000)]) {
  test(`serveGrpc() answers a message of ${text.length} characters`, async () => {
    await using it = await open();
    assert.deepEqual(await it.echo.Say({ text }), { text });
  });
}

for (const [text, error] of [
  ["fail", { code: "NOT_FOUND", details: "no such 100%\n🚀" }],
  ["throw", { code: "INTERNAL", details: "broken" }],
] as const) {
  test(`serveGrpc() answers the status of a handler: ${error.code}`, async () => {
    await using it = await open();
    await assert.rejects(it.echo.Say({ text }), error);
    assert.deepEqual(await it.echo.Say({ text: "next" }), { text: "next" });
  });
}

test("serveGrpc() refuses an unknown method", async () => {
  await using it = await open();
  await assert.rejects(it.more.Unknown({}), {
    code: "UNIMPLEMENTED",
    details: "unknown method /test.Echo/Unknown",
  });
});

test("serveGrpc() ends a call whose deadline has passed or whose client has gone", async () => {
  await using it = await open();
  await assert.rejects(it.echo.Wait({}, { timeoutMs: 20 }), { code: "DEADLINE_EXCEEDED" });
  const leaving = new AbortController();
  const call = it.echo.Wait({}, { signal: leaving.signal });
  leaving.abort();
  await assert.rejects(call);
  assert.deepEqual(await it.echo.Say({ text: "next" }), { text: "next" });
});

test("serveGrpc() serves at a path that is longer than the kernel's limit", async () => {
  const descriptors = async () => (await readdir("/proc/self/fd")).length;
  const before = await descriptors();
  {
    await using it = await open(join("x".repeat(100), "y".repeat(100), "s"));
    assert.deepEqual(await it.echo.Say({ text: "a" }), { text: "a" });
    assert.deepEqual(await readdir(dirname(it.path)), ["s"]);
  }
  await until("all descriptors are closed", async () => (await descriptors()) <= before);
});
