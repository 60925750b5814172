import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { ApiHttpServer } from "../http/server.ts";
import { textReply } from "../model/exchange.ts";
import { wantsWebSocket, webSocketReply } from "./websocket-stream.ts";

const big = "x".repeat(70_000);

const cases = [
  {
    protocol: "binary.k8s.io",
    parts: ["one\n", "two\n"],
    read: (data: ArrayBuffer | string) => Buffer.from(data as ArrayBuffer).toString(),
  },
  {
    protocol: "binary.k8s.io",
    parts: [big],
    read: (data: ArrayBuffer | string) => Buffer.from(data as ArrayBuffer).toString(),
  },
  {
    protocol: "base64.binary.k8s.io",
    parts: ["one\n"],
    read: (data: ArrayBuffer | string) => Buffer.from(data as string, "base64").toString(),
  },
];
for (const { protocol, parts, read } of cases) {
  test(`webSocketReply() sends ${parts.join("").length} characters as ${protocol}`, async () => {
    await using server = new ApiHttpServer({
      handler: async (exchange) =>
        (wantsWebSocket(exchange)
          ? webSocketReply(exchange, Readable.from(parts.map((part) => Buffer.from(part))))
          : undefined) ?? textReply(400, "no"),
      clock: systemClock,
      onError: (error) => assert.fail(String(error)),
    });
    const port = await server.listen(0, "127.0.0.1");
    const socket = new WebSocket(`ws://127.0.0.1:${port}/log`, [protocol]);
    socket.binaryType = "arraybuffer";
    let text = "";
    socket.onmessage = ({ data }) => {
      text += read(data as ArrayBuffer | string);
    };
    const closed = await new Promise<CloseEvent>((resolve) => {
      socket.onclose = resolve;
    });
    assert.deepEqual([text, closed.code, socket.protocol], [parts.join(""), 1000, protocol]);
  });
}

test("wantsWebSocket() is false for ordinary requests", async () => {
  await using server = new ApiHttpServer({
    handler: async (exchange) => textReply(200, String(wantsWebSocket(exchange))),
    clock: systemClock,
    onError: (error) => assert.fail(String(error)),
  });
  const port = await server.listen(0, "127.0.0.1");
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/log`)).text(), "false");
});
