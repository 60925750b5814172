import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { findPeerUser } from "./find-peer-user.ts";
import { peerUser } from "./peer-user.ts";

const line = (ends: string, state: string, uid: number): string =>
  `   1: ${ends} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 1144256 1 0000 20 4\n`;
const ends = {
  remoteAddress: "127.0.0.1",
  remotePort: 0xd431,
  localAddress: "127.0.0.1",
  localPort: 5001,
};
const v4 = "0100007F:D431 0100007F:1389";
const loopback6 = "00000000000000000000000001000000";
const mapped = "0000000000000000FFFF00000100007F";

for (const { name, text, at = ends, expected } of [
  { name: "the client's socket", text: line(v4, "01", 1000), expected: 1000 },
  {
    name: "the server's socket, which is root's, before the client's",
    text: line("0100007F:1389 0100007F:D431", "01", 0) + line(v4, "01", 1000),
    expected: 1000,
  },
  // The kernel says root for sockets that no program has any more.
  { name: "a socket that was closed", text: line(v4, "04", 0), expected: undefined },
  { name: "a socket that waits", text: line(v4, "06", 0), expected: undefined },
  { name: "another port", text: line(v4.replace("D431", "D432"), "01", 0), expected: undefined },
  { name: "nothing", text: "", expected: undefined },
  {
    name: "a client with a socket of IPv6",
    text: line(`${mapped}:D431 ${mapped}:1389`, "01", 7),
    expected: 7,
  },
  {
    name: "IPv6",
    text: line(`${loopback6}:D431 ${loopback6}:1389`, "01", 9),
    at: { ...ends, remoteAddress: "::1", localAddress: "::1" },
    expected: 9,
  },
]) {
  test(`findPeerUser() with ${name}`, () => {
    assert.equal(findPeerUser(text, at), expected);
  });
}

for (const host of ["127.0.0.1", "::1"]) {
  test(`peerUser() of a connection at ${host}`, async (t) => {
    const server = createServer();
    server.listen(0, host);
    const isListening = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isListening) return t.skip(`the machine has no ${host}`);
    const { port } = server.address() as { port: number };
    const client = connect(port, host);
    const [socket] = (await once(server, "connection")) as [Socket];
    assert.equal(await peerUser(socket), process.getuid?.());
    client.destroy();
    await once(socket.resume(), "close");
    assert.equal(await peerUser(socket), undefined);
    server.close();
  });
}
