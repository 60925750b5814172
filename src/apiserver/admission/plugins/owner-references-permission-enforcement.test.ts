import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { Authorizer } from "../../model/authorizer.ts";

const maps = "/api/v1/namespaces/n/configmaps";
const owner = {
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "o",
  uid: "11111111-1111-4111-8111-111111111111",
};

/** Refuses some verbs, and updates of finalizers. */
const denying = (...denied: string[]): Authorizer => ({
  name: "Test",
  authorize: ({ verb, subresource }) => ({
    decision: denied.includes(subresource === "finalizers" ? "finalize" : verb) ? "deny" : "allow",
    reason: "because",
  }),
});

async function start(authorizer: Authorizer) {
  const flags = ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"];
  const api = await startAdmittingServer(flags, { authorizer });
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
  return api;
}

test("OwnerReferencesPermissionEnforcement requires permission to delete an object that gets an owner", async () => {
  await using api = await start(denying("delete"));
  await api.call("POST", maps, { metadata: { name: "a" } });
  const { status, json } = await api.call(
    "PATCH",
    `${maps}/a`,
    { metadata: { ownerReferences: [owner] } },
    { headers: { "content-type": "application/merge-patch+json" } },
  );
  assert.equal(status, 403);
  assert.equal(
    json.message,
    `configmaps "a" is forbidden: cannot set an ownerRef on a resource you can't delete: because, <nil>`,
  );
});

const refused = [
  {
    name: "permission to finalize an owner that waits for the object",
    owner,
    message:
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: because, <nil>",
  },
  {
    name: "a kind that exists",
    owner: { ...owner, kind: "Foo" },
    message:
      'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Foo: no matches for kind "Foo" in version "v1"',
  },
];

for (const { name, owner: reference, message } of refused) {
  test(`OwnerReferencesPermissionEnforcement requires ${name}`, async () => {
    await using api = await start(denying("finalize"));
    const ownerReferences = [{ ...reference, blockOwnerDeletion: true }];
    const { json } = await api.call("POST", maps, { metadata: { name: "a", ownerReferences } });
    assert.equal(json.message, `configmaps "a" is forbidden: ${message}`);
    const harmless = [{ ...reference, blockOwnerDeletion: false }];
    const answer = await api.call("POST", maps, {
      metadata: { name: "a", ownerReferences: harmless },
    });
    assert.equal(answer.status, 201);
  });
}
