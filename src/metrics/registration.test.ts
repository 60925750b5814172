import assert from "node:assert/strict";
import { test } from "node:test";
import type { APIService } from "#/api/apiregistration/v1.ts";
import type { Service } from "#/api/core/v1.ts";
import { isOwn, planRegistration } from "./registration.ts";

const plan = planRegistration({ address: "fd00::1", port: 4443, isReady: false, authority: "CA" });

const changed = <T extends Service | APIService>(object: T, spec: object, labels = {}): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } },
  spec: { ...object.spec, ...spec },
});

test("planRegistration() registers a server that is not ready without an endpoint for clients", () => {
  assert.equal(plan.slice.addressType, "IPv6");
  assert.deepEqual(plan.slice.endpoints, [
    { addresses: ["fd00::1"], conditions: { ready: false } },
  ]);
  assert.equal(plan.apiService.spec.caBundle, "Q0E=");
});

for (const { name, service, apiService, expected } of [
  { name: "nothing", service: undefined, apiService: undefined, expected: true },
  { name: "its own", service: plan.service, apiService: plan.apiService, expected: true },
  {
    name: "a Service with Pods",
    service: changed(plan.service, { selector: { app: "x" } }),
    apiService: plan.apiService,
    expected: false,
  },
  {
    name: "a Service of another writer",
    service: changed(plan.service, {}, { "app.kubernetes.io/managed-by": "Helm" }),
    apiService: undefined,
    expected: false,
  },
  {
    name: "an APIService of another server",
    service: plan.service,
    apiService: changed(plan.apiService, { service: { name: "adapter", namespace: "monitoring" } }),
    expected: false,
  },
]) {
  test(`isOwn() of ${name} is ${expected}`, () => {
    assert.equal(isOwn(service, apiService), expected);
  });
}
