import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { isListening } from "./is-listening.ts";
import { isPortInUse } from "./port-in-use.ts";

const line = (local: string, remote: string, state: string): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 12345\n`;
const none = "00000000:0000";
const none6 = `${"0".repeat(32)}:0000`;
const localhost6 = `${"0".repeat(24)}01000000`;

for (const [claim, text, host, expected] of [
  ["its address", line("0100007F:0050", none, "0A"), "127.0.0.1", true],
  ["all addresses", line("00000000:0050", none, "0A"), "127.0.0.1", true],
  ["another address", line("0200007F:0050", none, "0A"), "127.0.0.1", false],
  ["another port", line("0100007F:0051", none, "0A"), "127.0.0.1", false],
  ["no address: a connection", line("0100007F:0050", "0100007F:1234", "01"), "127.0.0.1", false],
  ["its address of IPv6", line(`${localhost6}:0050`, none6, "0A"), "::1", true],
  ["all addresses of IPv6", line(`${"0".repeat(32)}:0050`, none6, "0A"), "::1", true],
  ["no address: the list is empty", "", "::1", false],
] as const) {
  test(`isListening(): ${claim}`, () => assert.equal(isListening(text, 80, host), expected));
}

test("isPortInUse() knows the ports of the network of this process' parent", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const netns = "/proc/self/ns/net";
  assert.equal(await isPortInUse(port, "127.0.0.1", netns), true);
  assert.equal(await isPortInUse(port, "127.0.0.2", netns), false);
  assert.equal(await isPortInUse(port, "127.0.0.1", "/nonexistent"), false);
  server.close();
});
