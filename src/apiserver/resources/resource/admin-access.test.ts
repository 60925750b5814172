import assert from "node:assert/strict";
import { test } from "node:test";
import { namespaces } from "#/api/core/v1.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { serve } from "../../registry/strategy.ts";
import { resourceClaim } from "./resource-claim.ts";

test("resourceClaim allows admin access only in namespaces with the label", async () => {
  await using server = await startApiServer({ resources: [serve(namespaces), resourceClaim] });
  const labels = { "resource.kubernetes.io/admin-access": "true" };
  await server.call("POST", "/api/v1/namespaces", { metadata: { name: "plain" } });
  await server.call("POST", "/api/v1/namespaces", { metadata: { name: "marked", labels } });
  const claim = {
    metadata: { name: "a" },
    spec: {
      devices: {
        requests: [{ name: "a", exactly: { deviceClassName: "a", adminAccess: true } }],
      },
    },
  };
  const path = (namespace: string) =>
    `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`;
  const refused = await server.call("POST", path("plain"), claim);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /spec.devices.requests\[0\].adminAccess: Forbidden/);
  assert.equal((await server.call("POST", path("marked"), claim)).status, 201);
});
