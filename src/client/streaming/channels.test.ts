import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { WebSocket } from "#/std/websocket/websocket.ts";
import { ChannelConnection, channels, streamProtocols } from "./channels.ts";

test("ChannelConnection sends one message for each write, and none for an empty write", async () => {
  const [here, there] = duplexPair();
  const connection = new ChannelConnection(
    new WebSocket(here, { role: "server" }),
    streamProtocols.v5,
    [channels.stdout],
  );
  const stdout = connection.channel(channels.stdout);
  stdout.write("a");
  stdout.write("b");
  await new Promise((resolve) => stdout.write("", resolve));
  stdout.end(() => connection.close());
  const messages: string[] = [];
  for await (const { data } of new WebSocket(there, { role: "client" }).messages()) {
    messages.push(data.toString("latin1"));
  }
  assert.deepEqual(messages, ["\x01a", "\x01b", "\xff\x01"]);
});
