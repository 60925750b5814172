import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";
import { storageVersionMigration } from "./storage-version-migration.ts";

const path = "/apis/storagemigration.k8s.io/v1/storageversionmigrations";
const migration = (resource: object) => ({
  apiVersion: "storagemigration.k8s.io/v1",
  kind: "StorageVersionMigration",
  metadata: { name: "a" },
  spec: { resource },
});

test("storageVersionMigration rejects invalid resources, and changes of spec and result", async () => {
  await using server = await startApiServer({ resources: [storageVersionMigration] });
  assert.equal((await server.call("POST", path, migration({}))).status, 422);
  assert.equal((await server.call("POST", path, migration({ resource: "A_" }))).status, 422);
  assert.equal((await server.call("POST", path, migration({ resource: "pods" }))).status, 201);
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  const changed = { spec: { resource: { resource: "nodes" } } };
  assert.equal((await server.call("PATCH", `${path}/a`, changed, merge)).status, 422);
  const condition = {
    type: "Succeeded",
    status: "True",
    reason: "R",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const done = { status: { conditions: [condition], resourceVersion: "5" } };
  assert.equal((await server.call("PATCH", `${path}/a/status`, done, merge)).status, 200);
  const undone = { status: { conditions: [], resourceVersion: "6" } };
  assert.equal((await server.call("PATCH", `${path}/a/status`, undone, merge)).status, 422);
});
