import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import type { ServicePort } from "./base/service-port.ts";
import { forgetStaleFlows } from "./conntrack.ts";
import { parseFlows } from "./parse-flows.ts";

const listing = `udp      17 29 src=10.244.0.5 dst=10.96.0.10 sport=40000 dport=53 src=10.244.0.2 dst=10.244.0.5 sport=53 dport=40000 mark=0 use=1
udp      17 29 src=10.244.0.6 dst=10.96.0.10 sport=40001 dport=53 [UNREPLIED] src=10.244.0.3 dst=10.244.0.6 sport=53 dport=40001 mark=0 use=1
udp      17 29 src=192.0.2.7 dst=192.0.2.1 sport=5000 dport=30053 src=10.244.0.4 dst=192.0.2.1 sport=53 dport=5000 mark=0 use=1
udp      17 29 src=10.244.0.6 dst=8.8.8.8 sport=40002 dport=53 src=8.8.8.8 dst=10.244.0.6 sport=53 dport=40002 mark=0 use=1
conntrack v1.4.7 (conntrack-tools): 4 flow entries have been shown.
`;

test("parseFlows() reads the destination and the replying endpoint", () => {
  assert.deepEqual(parseFlows(listing)[1], {
    destination: "10.96.0.10",
    port: 53,
    answeredBy: "10.244.0.3",
    answeredPort: 53,
  });
  assert.equal(parseFlows(listing).length, 4);
});

test("forgetStaleFlows() deletes only flows to removed endpoints", async () => {
  const port = {
    protocol: "UDP",
    clusterIp: "10.96.0.10",
    port: 53,
    nodePort: 30_053,
    externalIps: [],
    loadBalancerIps: [],
  } as unknown as ServicePort;
  const endpoint = { ip: "10.244.0.2", port: 53, address: "10.244.0.2:53", serving: true };
  const rest = { local: false, ready: true, terminating: false, zoneHints: [], nodeHints: [] };
  const ports = [{ port, endpoints: [{ ...endpoint, ...rest }] }];
  const ran: string[] = [];
  const run = async (program: string, args: readonly string[]): Promise<string> => {
    ran.push(`${program} ${args.join(" ")}`);
    return listing;
  };
  assert.equal(await forgetStaleFlows("IPv4", ports, { run, log: logger("test") }), 2);
  assert.deepEqual(ran, [
    "conntrack -L -f ipv4 -p udp",
    "conntrack -D -f ipv4 -p udp --orig-dst 10.96.0.10 --orig-port-dst 53 --reply-src 10.244.0.3 --reply-port-src 53",
    "conntrack -D -f ipv4 -p udp --orig-dst 192.0.2.1 --orig-port-dst 30053 --reply-src 10.244.0.4 --reply-port-src 53",
  ]);
});
