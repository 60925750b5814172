import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "#/api/core/v1.ts";
import { resourceClaims, resourceClaimTemplates } from "#/api/resource/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { resourceClaimController } from "./resource-claim.ts";

const namespace = "default";

test("resourceclaim-controller creates claims from templates, and deletes them when the Pod has ended", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [resourceClaimController]);
  const { client, until } = run;
  const exactly = { deviceClassName: "gpu.example.com", allocationMode: "ExactCount", count: 1 };
  await client.create(resourceClaimTemplates, {
    metadata: { name: "t", namespace },
    spec: { metadata: {}, spec: { devices: { requests: [{ name: "r", exactly }] } } },
  } as never);
  const ref = { name: "p", namespace };
  await client.create(pods, {
    metadata: ref,
    spec: {
      containers: [{ name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } }],
      resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }],
    },
  });
  await until("a status", async () => {
    const { status } = await client.get(pods, ref);
    return status?.resourceClaimStatuses?.[0]?.resourceClaimName !== undefined;
  });
  const list = async () => (await client.list(resourceClaims, { namespace })).items;
  const [claim] = await list();
  assert.match(claim?.metadata.name ?? "", /^p-gpu-/);
  assert.equal(claim?.metadata.ownerReferences?.[0]?.name, "p");
  await client.patchStatus(pods, ref, { status: { phase: "Succeeded" } });
  await until("no claim", async () => (await list()).length === 0);
});
