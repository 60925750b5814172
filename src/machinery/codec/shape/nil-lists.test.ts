import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "#/api/core/v1.ts";
import { clusterRoles } from "#/api/rbac/v1.ts";
import { schemaOf } from "../../schema/kinds.ts";
import { dropEmptyLists } from "./nil-lists.ts";

test("dropEmptyLists() makes required empty lists nil at every level", () => {
  const role = { metadata: {}, rules: [] };
  dropEmptyLists(role, schemaOf(clusterRoles));
  assert.deepEqual(role, { metadata: {} });

  const volume = { name: "v", projected: { sources: [] } };
  const pod = {
    metadata: { finalizers: [] },
    spec: { containers: [{ name: "c" }], volumes: [volume] },
  };
  dropEmptyLists(pod, schemaOf(pods));
  assert.deepEqual(volume, { name: "v", projected: {} });
  assert.deepEqual(pod.metadata, { finalizers: [] });
});
