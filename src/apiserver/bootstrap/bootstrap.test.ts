import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServiceCIDR } from "#/api/networking/v1.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { systemClock } from "#/std/time/clock.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { listLeases, removeLease, renewLease } from "./api-server-leases.ts";
import { planDefaultServiceCidr } from "./default-service-cidr.ts";
import { planEndpointSlice, planEndpoints } from "./kubernetes-endpoints.ts";
import { planKubernetesService } from "./kubernetes-service.ts";

const now = Date.UTC(2026, 0, 1);

describe("planDefaultServiceCidr()", () => {
  const network = (cidrs: string[], ready?: "True" | "False"): ServiceCIDR => ({
    metadata: { name: "kubernetes" },
    spec: { cidrs },
    status: ready
      ? {
          conditions: [
            { type: "Ready", status: ready, lastTransitionTime: "", reason: "", message: "" },
          ],
        }
      : {},
  });
  const one = "10.0.0.0/16";
  const two = "fd00::/64";
  const cases = [
    { name: "creates", cidrs: [one], current: undefined, step: "create" },
    {
      name: "sets the Ready condition",
      cidrs: [one],
      current: network([one]),
      step: "updateStatus",
    },
    { name: "changes nothing", cidrs: [one], current: network([one], "True"), step: "nothing" },
    { name: "adds a family", cidrs: [one, two], current: network([one]), step: "update" },
    { name: "warns", cidrs: ["10.1.0.0/16"], current: network([one], "True"), step: "warn" },
  ];
  for (const { name, cidrs, current, step } of cases) {
    test(name, () => assert.equal(planDefaultServiceCidr(cidrs, current, now).do, step));
  }
});

test("planKubernetesService() has the network's first address, and resets ports", () => {
  const network = parseCidr("10.0.0.0/16");
  assert.ok(network);
  const options = { network, securePort: 6443, nodePort: 0 };
  const created = planKubernetesService(options, undefined);
  assert.ok(created);
  assert.equal(created.spec.clusterIP, "10.0.0.1");
  assert.equal(planKubernetesService(options, created), undefined);
  const changed = { ...created, spec: { ...created.spec, ports: [{ port: 1 }] } };
  assert.deepEqual(planKubernetesService(options, changed)?.spec.ports, created.spec.ports);
});

test("planEndpoints() and planEndpointSlice() have every server once", () => {
  const servers = { ips: ["10.1.0.2", "10.1.0.1"], port: 6443 };
  const endpoints = planEndpoints(servers, undefined);
  assert.deepEqual(
    endpoints?.subsets?.[0]?.addresses?.map(({ ip }) => ip),
    ["10.1.0.1", "10.1.0.2"],
  );
  assert.equal(planEndpoints(servers, endpoints), undefined);
  const slice = planEndpointSlice(servers, undefined);
  assert.equal(slice?.endpoints?.length, 2);
  assert.equal(planEndpointSlice(servers, slice), undefined);
  assert.ok(planEndpointSlice({ ...servers, ips: ["10.1.0.1"] }, slice));
});

test("listLeases() returns the servers that renewed their key", async () => {
  await using storage = new MemoryStorage({ clock: systemClock });
  await renewLease(storage, "10.1.0.1");
  await renewLease(storage, "10.1.0.2");
  await renewLease(storage, "10.1.0.1");
  assert.deepEqual((await listLeases(storage)).sort(), ["10.1.0.1", "10.1.0.2"]);
  await removeLease(storage, "10.1.0.2");
  assert.deepEqual(await listLeases(storage), ["10.1.0.1"]);
});
