import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring.ts";

const namespace = "default";
const ref = { name: "web", namespace };

test("endpointslice-mirroring-controller mirrors Endpoints of other writers", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [endpointSliceMirroringController]);
  const { client, until } = run;
  const list = async () =>
    (await client.list(endpointSlices, { namespace })).items.filter(
      ({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web",
    );
  await client.create(services, {
    metadata: ref,
    spec: { clusterIP: "None", ports: [{ port: 80 }] },
  });
  const made = await client.create(endpoints, {
    metadata: ref,
    subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }],
  });
  await until("a slice", async () => (await list()).length === 1);
  const [slice] = await list();
  assert.deepEqual(slice?.endpoints?.[0]?.addresses, ["10.1.2.3"]);
  assert.equal(slice?.metadata.ownerReferences?.[0]?.kind, "Endpoints");
  const subsets = [{ addresses: [{ ip: "10.2.3.4" }], ports: [{ port: 80 }] }];
  await client.update(endpoints, { ...made, subsets });
  await until("the change", async () => {
    const [now] = await list();
    return now?.endpoints?.[0]?.addresses[0] === "10.2.3.4";
  });
  await client.delete(endpoints, ref);
  await until("no slice", async () => (await list()).length === 0);
});
