import assert from "node:assert/strict";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { leaseName } from "../model/lease-name.ts";
import { keepIdentityLease } from "./identity-lease.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

test("keepIdentityLease() renews its own lease, and removes those of servers that are gone", async () => {
  const clock = new FakeClock();
  await using api = await startApiServer({ clock });
  const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver" };
  const spec = { leaseDurationSeconds: 60, renewTime: "2020-01-01T00:00:00.000000Z" };
  await api.call("POST", leases, { metadata: { name: "gone", labels }, spec });
  const stop = new AbortController();
  const options = { handler: api.handler, clock, log: logger("test"), hostname: "h" };
  await keepIdentityLease({ ...options, address: "192.0.2.1:6443" }, stop.signal);
  const read = async () => (await api.call("GET", `${leases}/${leaseName("h")}`)).json;
  const first = await read();
  assert.equal(first.spec.renewTime, "2025-01-01T00:00:00.000000Z");
  assert.equal(
    first.metadata.annotations["kubernetes.io/peer-advertise-address"],
    "192.0.2.1:6443",
  );
  assert.equal((await api.call("GET", `${leases}/gone`)).status, 404);
  await clock.advance(10_000);
  for (let turn = 0; turn < 50; turn++) await api.call("GET", leases);
  const renewed = await read();
  assert.equal(renewed.spec.renewTime, "2025-01-01T00:00:10.000000Z");
  assert.equal(renewed.spec.holderIdentity, first.spec.holderIdentity);
  stop.abort();
});

test("leaseName() is what kube-apiserver calls itself on the same machine", () => {
  assert.equal(leaseName("vm"), "apiserver-wlv32tlttr4jl3gtroqexyxapa");
});
