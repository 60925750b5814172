import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service, ServiceSpec } from "#/api/core/v1.ts";
import type { Endpoint } from "./endpoint.ts";
import { planRouting } from "./routing.ts";
import { type ServicePort, servicePorts } from "./service-port.ts";

function portOf(spec: Partial<ServiceSpec>): ServicePort {
  const service: Service = {
    metadata: { name: "web", namespace: "default" },
    spec: { clusterIP: "10.96.0.1", ports: [{ port: 80, protocol: "TCP" }], ...spec },
  };
  const [port] = servicePorts(service, "IPv4");
  assert(port);
  return port;
}

function endpoint(ip: string, of: Partial<Endpoint> = {}): Endpoint {
  return {
    ip,
    port: 80,
    address: `${ip}:80`,
    local: false,
    ready: true,
    serving: true,
    terminating: false,
    zoneHints: [],
    nodeHints: [],
    ...of,
  };
}

const leaving = { ready: false, serving: true, terminating: true };
const here = { local: true };
const nodePort: Partial<ServiceSpec> = {
  type: "NodePort",
  ports: [{ port: 80, protocol: "TCP", nodePort: 30_000 }],
};

interface Case {
  readonly name: string;
  readonly spec?: Partial<ServiceSpec>;
  readonly endpoints: readonly Endpoint[];
  readonly zone?: string;
  /** The last numbers of the addresses of cluster and local endpoints. */
  readonly cluster?: string;
  readonly local?: string;
  readonly flags?: string;
}

/** flags: E hasEndpoints, i hasInternal, e hasExternal, x usesExternal. */
const cases: readonly Case[] = [
  { name: "no endpoints", endpoints: [], flags: "" },
  {
    name: "only ready endpoints",
    endpoints: [endpoint("1"), endpoint("2", { ready: false })],
    cluster: "1",
    flags: "Eie",
  },
  {
    name: "terminating endpoints that serve, if none is ready",
    endpoints: [endpoint("1", leaving), endpoint("2", { ...leaving, serving: false })],
    cluster: "1",
    flags: "Eie",
  },
  {
    name: "external policy Local",
    spec: { ...nodePort, externalTrafficPolicy: "Local" },
    endpoints: [endpoint("1", here), endpoint("2")],
    cluster: "1 2",
    local: "1",
    flags: "Eiex",
  },
  {
    name: "external policy Local without endpoints here",
    spec: { ...nodePort, externalTrafficPolicy: "Local" },
    endpoints: [endpoint("2")],
    cluster: "2",
    flags: "Eix",
  },
  {
    name: "external policy Local with a terminating endpoint here",
    spec: { ...nodePort, externalTrafficPolicy: "Local" },
    endpoints: [endpoint("1", { ...here, ...leaving }), endpoint("2")],
    cluster: "2",
    local: "1",
    flags: "Eiex",
  },
  {
    name: "internal policy Local",
    spec: { internalTrafficPolicy: "Local" },
    endpoints: [endpoint("1", here), endpoint("2")],
    local: "1",
    flags: "Eie",
  },
  {
    name: "internal policy Local without endpoints here",
    spec: { internalTrafficPolicy: "Local" },
    endpoints: [endpoint("2")],
    flags: "Ee",
  },
  {
    name: "hints for zones",
    endpoints: [endpoint("1", { zoneHints: ["z1"] }), endpoint("2", { zoneHints: ["z2"] })],
    zone: "z2",
    cluster: "2",
    flags: "Eie",
  },
  {
    name: "hints for zones of which one is missing",
    endpoints: [endpoint("1", { zoneHints: ["z1"] }), endpoint("2")],
    zone: "z1",
    cluster: "1 2",
    flags: "Eie",
  },
  {
    name: "hints for zones on a node without one",
    endpoints: [endpoint("1", { zoneHints: ["z1"] })],
    cluster: "1",
    flags: "Eie",
  },
  {
    name: "hints for nodes before those for zones",
    endpoints: [
      endpoint("1", { nodeHints: ["n1"], zoneHints: ["z1"] }),
      endpoint("2", { nodeHints: ["n2"], zoneHints: ["z1"] }),
    ],
    zone: "z1",
    cluster: "1",
    flags: "Eie",
  },
];

for (const { name, spec = {}, endpoints, zone, cluster = "", local = "", flags } of cases) {
  test(`planRouting() handles ${name}`, () => {
    const routing = planRouting(portOf(spec), endpoints, { nodeName: "n1", zone });
    const numbers = (list: readonly Endpoint[]): string => list.map(({ ip }) => ip).join(" ");
    const seen = [
      routing.hasEndpoints && "E",
      routing.hasInternal && "i",
      routing.hasExternal && "e",
      routing.usesExternal && "x",
    ];
    assert.deepEqual(
      [numbers(routing.cluster), numbers(routing.local), seen.filter(Boolean).join("")],
      [cluster, local, flags],
    );
  });
}
