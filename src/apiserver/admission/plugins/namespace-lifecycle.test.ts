import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";

const configMap = { metadata: { name: "a" } };
const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

test("NamespaceLifecycle refuses content of a namespace that doesn't exist", async () => {
  await using api = await startAdmittingServer();
  const { status, json } = await api.call("POST", maps("none"), configMap);
  assert.equal(status, 404);
  assert.equal(json.message, 'namespaces "none" not found');
  assert.deepEqual(json.details, { name: "none", kind: "namespaces" });
});

test("NamespaceLifecycle refuses content of a namespace that is being deleted", async () => {
  await using api = await startAdmittingServer();
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: "going" } });
  assert.equal((await api.call("POST", maps("going"), configMap)).status, 201);
  await api.call("DELETE", "/api/v1/namespaces/going");
  const { status, json } = await api.call("POST", maps("going"), { metadata: { name: "b" } });
  assert.equal(status, 403);
  assert.deepEqual(json, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message:
      'configmaps "b" is forbidden: unable to create new content in namespace going because it is being terminated',
    reason: "Forbidden",
    details: {
      name: "b",
      kind: "configmaps",
      causes: [
        {
          reason: "NamespaceTerminating",
          message: "namespace going is being terminated",
          field: "metadata.namespace",
        },
      ],
    },
    code: 403,
  });
});

for (const name of ["default", "kube-system", "kube-public"]) {
  test(`NamespaceLifecycle keeps ${name}`, async () => {
    await using api = await startAdmittingServer();
    await api.call("POST", "/api/v1/namespaces", { metadata: { name } });
    const { status, json } = await api.call("DELETE", `/api/v1/namespaces/${name}`);
    assert.equal(status, 403);
    assert.equal(
      json.message,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    );
  });
}
