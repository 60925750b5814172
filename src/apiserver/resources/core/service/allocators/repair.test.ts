import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Service, ServiceSpec } from "#/api/core/v1.ts";
import type { IPAddress } from "#/api/networking/v1.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { AddressRange } from "./address-range.ts";
import { planAddressRepair } from "./repair-addresses.ts";
import { planPortRepair } from "./repair-node-ports.ts";
import { newIPAddress } from "./service-addresses.ts";

const service = (name: string, spec: ServiceSpec): Service => ({
  metadata: { name, namespace: "x" },
  spec,
});
const range = { first: 30000, last: 30010 };

describe("planPortRepair()", () => {
  test("reports problems and releases a leaked port after three repairs", () => {
    const services = [
      service("a", { ports: [{ port: 1, nodePort: 30001 }] }),
      service("b", { ports: [{ port: 1, nodePort: 30001 }] }),
      service("c", { ports: [{ port: 1, nodePort: 8080 }] }),
      service("d", { healthCheckNodePort: 30002 }),
    ];
    let recorded: ReadonlySet<number> = new Set([30001, 30009]);
    let leaks: ReadonlyMap<number, number> = new Map();
    const first = planPortRepair(services, recorded, { range, leaks });
    assert.deepEqual(
      first.problems.map(({ reason }) => reason),
      ["PortAlreadyAllocated", "PortOutOfRange", "PortNotAllocated"],
    );
    for (let look = 0; look < 3; look++) {
      const repair = planPortRepair(services, recorded, { range, leaks });
      ({ ports: recorded, leaks } = repair);
      assert.equal(recorded.has(30009), look < 2);
    }
    assert.deepEqual([...recorded].sort(), [30001, 30002]);
  });
});

describe("planAddressRepair()", () => {
  const cidr = parseCidr("10.0.0.0/24");
  assert.ok(cidr);
  const ranges = [new AddressRange(cidr)];
  const now = Date.UTC(2026, 0, 1);
  const withIP = (name: string, ip: string): Service =>
    service(name, { clusterIP: ip, clusterIPs: [ip], type: "ClusterIP" });
  const address = (ip: string, owner: string, created = "2025-01-01T00:00:00Z"): IPAddress => {
    const made = newIPAddress(ip, "IPv4", { namespace: "x", name: owner });
    made.metadata.creationTimestamp = created;
    return made;
  };
  const plan = (services: Service[], addresses: IPAddress[]): string[] =>
    planAddressRepair({ services, addresses, ranges, now }).map(
      ({ reason, remove, create }) =>
        `${reason}${remove ? ` -${remove}` : ""}${create ? ` +${create.metadata.name}` : ""}`,
    );

  const cases = [
    {
      name: "nothing",
      services: [withIP("a", "10.0.0.5")],
      addresses: [address("10.0.0.5", "a")],
      steps: [],
    },
    {
      name: "a missing address",
      services: [withIP("a", "10.0.0.5")],
      addresses: [],
      steps: ["ClusterIPNotAllocated +10.0.0.5"],
    },
    {
      name: "an address outside the networks",
      services: [withIP("a", "10.9.0.5")],
      addresses: [],
      steps: ["ClusterIPOutOfRange"],
    },
    {
      name: "a leaked address",
      services: [],
      addresses: [address("10.0.0.5", "a")],
      steps: ["IPAddressNotAllocated -10.0.0.5"],
    },
    {
      name: "a new address whose Service is not yet created",
      services: [],
      addresses: [address("10.0.0.5", "a", "2025-12-31T23:59:30Z")],
      steps: [],
    },
    {
      name: "an address that its Service does not have",
      services: [withIP("a", "10.0.0.5")],
      addresses: [address("10.0.0.5", "a"), address("10.0.0.6", "a")],
      steps: ["IPAddressWrongReference -10.0.0.6"],
    },
    {
      name: "an address of two Services",
      services: [withIP("a", "10.0.0.5"), withIP("b", "10.0.0.5")],
      addresses: [address("10.0.0.5", "a")],
      steps: ["ClusterIPAlreadyAllocated"],
    },
  ];
  for (const { name, services, addresses, steps } of cases) {
    test(`repairs ${name}`, () => assert.deepEqual(plan(services, addresses), steps));
  }
});
