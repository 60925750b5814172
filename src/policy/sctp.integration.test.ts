import { once } from "node:events";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { NetworkPolicySpec } from "#/api/networking/v1.ts";
import { mayMakeNamespaces, type NetworkNamespace } from "#/testing/network-namespace.ts";
import { PolicyNode } from "#/testing/policy-node.ts";
import { until } from "#/testing/until.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };

/** SCTP's checksum (RFC 9260, appendix A): Castagnoli's, the lowest byte first. */
function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

/** The packet that opens an association. Kernels without SCTP forward and track it, too. */
function initPacket(source: number, port: number): string {
  const packet = Buffer.alloc(32);
  packet.writeUInt16BE(source, 0);
  packet.writeUInt16BE(port, 2);
  packet.writeUInt8(1, 12); // an INIT chunk, of 20 bytes: tag, window, streams, number
  packet.writeUInt16BE(20, 14);
  packet.writeUInt32BE(7, 16);
  packet.writeUInt32BE(65_536, 20);
  packet.writeUInt16BE(1, 24);
  packet.writeUInt16BE(1, 26);
  packet.writeUInt32LE(crc32c(packet), 8);
  return packet.toString("hex");
}

/** Collects the destination ports of all packets of SCTP that a Pod gets. */
async function listen(net: NetworkNamespace): Promise<number[]> {
  const script = `$| = 1; socket(my $socket, AF_INET, SOCK_RAW, 132) or die; print "ready\\n";
    while (recv($socket, my $packet, 2000, 0)) { print unpack("n", substr($packet, 22, 2)), "\\n"; }`;
  const child = net.start("perl", ["-MSocket=:all", "-e", script]);
  const got: number[] = [];
  if (child.stdout) await once(child.stdout, "data");
  child.stdout?.on("data", (data: Buffer) =>
    got.push(...data.toString().trim().split("\n").map(Number)),
  );
  return got;
}

const send = (net: NetworkNamespace, ip: string, packet: string) =>
  net.run("perl", [
    "-MSocket=:all",
    "-e",
    `socket(my $socket, AF_INET, SOCK_RAW, 132) or die;
     send($socket, pack("H*", $ARGV[1]), 0, pack_sockaddr_in(0, inet_aton($ARGV[0]))) or die;`,
    ip,
    packet,
  ]);

const sctp = 5000;
const other = 5001;
const open = 5002;

const ingress = (ports: readonly object[]): NetworkPolicySpec =>
  ({
    podSelector: { matchLabels: { app: "server" } },
    policyTypes: ["Ingress"],
    // The last port shows that packets arrive at all.
    ingress: [{ ports: [...ports, { protocol: "SCTP", port: open }] }],
  }) as NetworkPolicySpec;

for (const { name, ports, passes } of [
  { name: "a port of SCTP", ports: [{ protocol: "SCTP", port: sctp }], passes: [sctp] },
  {
    name: "a range of its ports",
    ports: [{ protocol: "SCTP", port: sctp, endPort: other }],
    passes: [sctp, other],
  },
  {
    name: "a named port of SCTP",
    ports: [{ protocol: "SCTP", port: "association" }],
    passes: [sctp],
  },
  { name: "all of SCTP", ports: [{ protocol: "SCTP" }], passes: [sctp, other] },
  { name: "a port of TCP", ports: [{ protocol: "TCP", port: sctp }], passes: [] },
]) {
  test(`a policy that allows ${name} passes no other packets of SCTP`, options, async () => {
    await using node = await PolicyNode.create();
    const server = await node.attachPod({ namespace: "a", name: "server" });
    const named = { name: "association", protocol: "SCTP", containerPort: sctp };
    await node.createPod("a", "server", [server.ip], {}, [named]);
    const client = await node.addPod("b", "client");
    await node.createPolicy("a", "sctp", ingress(ports));
    const got = await listen(server.net);
    let source = 10_000;
    await until(`only ${passes} and ${open} pass`, async () => {
      for (const port of [sctp, other, open]) {
        await send(client.net, server.ip, initPacket(++source, port));
      }
      // Packets arrive in their order: what was sent before this one has arrived, or never will.
      const last = got.lastIndexOf(open);
      const found = new Set(got.splice(0, last + 1));
      return last >= 0 && isDeepStrictEqual(found, new Set([...passes, open]));
    });
  });
}
