import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { ProgramError } from "#/std/process/run-program.ts";
import type { Endpoint } from "../base/endpoint.ts";
import type { ServicePort } from "../base/service-port.ts";
import { deleteFlowMessage } from "./delete-flow-message.ts";
import { forgetStaleFlows } from "./forget-stale-flows.ts";
import { parseFlows } from "./parse-flows.ts";
import { staleFlows } from "./stale-flows.ts";

const listing = `udp      17 29 src=10.244.0.5 dst=10.96.0.10 sport=40000 dport=53 src=10.244.0.2 dst=10.244.0.5 sport=53 dport=40000 mark=0 use=1
udp      17 29 src=10.244.0.6 dst=10.96.0.10 sport=40001 dport=53 [UNREPLIED] src=10.244.0.3 dst=10.244.0.6 sport=53 dport=40001 mark=0 zone=7 use=1
udp      17 29 src=192.0.2.7 dst=192.0.2.1 sport=5000 dport=30053 src=10.244.0.4 dst=192.0.2.1 sport=53 dport=5000 mark=0 use=1
udp      17 29 src=10.244.0.6 dst=8.8.8.8 sport=40002 dport=53 src=8.8.8.8 dst=10.244.0.6 sport=53 dport=40002 mark=0 use=1
udp      17 29 src=10.244.0.6 dst=10.96.0.11 sport=40003 dport=30053 src=10.244.0.2 dst=10.244.0.6 sport=53 dport=40003 mark=0 use=1
conntrack v1.4.7 (conntrack-tools): 5 flow entries have been shown.
`;

const dns = {
  protocol: "UDP",
  clusterIp: "10.96.0.10",
  port: 53,
  nodePort: 30_053,
  externalIps: [],
  loadBalancerIps: [],
} as unknown as ServicePort;
const serving = { address: "10.244.0.2:53", serving: true } as Endpoint;

test("parseFlows() reads both directions and the zone", () => {
  assert.deepEqual(parseFlows(listing)[1], {
    original: {
      source: "10.244.0.6",
      destination: "10.96.0.10",
      sourcePort: 40_001,
      destinationPort: 53,
    },
    reply: {
      source: "10.244.0.3",
      destination: "10.244.0.6",
      sourcePort: 53,
      destinationPort: 40_001,
    },
    zone: 7,
  });
  assert.equal(parseFlows(listing).length, 5);
});

for (const { name, port = dns, endpoints = [serving], stale } of [
  { name: "flows to removed endpoints, by address and by node port", stale: [1, 2] },
  { name: "no node port of a service without endpoints", endpoints: [], stale: [0, 1] },
  {
    name: "endpoints that terminate but serve as alive",
    endpoints: [serving, { ...serving, address: "10.244.0.3:53", terminating: true }],
    stale: [2],
  },
  { name: "nothing of TCP", port: { ...dns, protocol: "TCP" } as ServicePort, stale: [] },
  {
    name: "flows to external and load balancer addresses",
    port: { ...dns, nodePort: 0, clusterIp: "10.96.0.9", externalIps: ["10.96.0.10"] },
    stale: [1],
  },
  {
    name: "a flow whose port is the node port of another service",
    port: { ...dns, clusterIp: "10.96.0.12" },
    endpoints: [{ ...serving, address: "10.244.0.4:53" }],
    stale: [4],
  },
]) {
  test(`staleFlows() finds ${name}`, () => {
    const flows = parseFlows(listing);
    const found = staleFlows(flows, [{ port, endpoints }]);
    assert.deepEqual(
      found.map((flow) => flows.indexOf(flow)),
      stale,
    );
  });
}

test("deleteFlowMessage() has the zone in the byte order of the network", () => {
  const [plain, zoned] = parseFlows(listing).map((flow) => deleteFlowMessage(flow).toString("hex"));
  // Length, type and flags of the request, then the family.
  assert.match(plain ?? "", /^7c00000002010500000000000000000002000000/);
  assert.match(zoned ?? "", /0600120000070000$/);
});

test("forgetStaleFlows() works without perl", async () => {
  const ran: string[] = [];
  const run = async (program: string, args: readonly string[]): Promise<string> => {
    if (program === "perl") throw new ProgramError("perl", undefined, "");
    ran.push(`${program} ${args.join(" ")}`);
    return listing;
  };
  const ports = [{ port: dns, endpoints: [serving] }];
  assert.equal(await forgetStaleFlows("IPv4", ports, { run, log: logger("test") }), 2);
  assert.deepEqual(ran, [
    "conntrack -L -f ipv4 -p udp",
    "conntrack -D -f ipv4 -p udp --orig-dst 10.96.0.10 --orig-port-dst 53 --reply-src 10.244.0.3 --reply-port-src 53",
    "conntrack -D -f ipv4 -p udp --orig-dst 192.0.2.1 --orig-port-dst 30053 --reply-src 10.244.0.4 --reply-port-src 53",
  ]);
});
