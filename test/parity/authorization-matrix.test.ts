import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readBootstrapPolicy } from "#/apiserver/auth/rbac/bootstrap-policy.ts";
import { ensureBootstrapPolicy } from "#/apiserver/auth/rbac/ensure-bootstrap-policy.ts";
import { RbacAuthorizer } from "#/apiserver/auth/rbac/rbac-authorizer.ts";
import { rbacIndexOf } from "#/apiserver/auth/rbac/rbac-index-of.ts";
import { noAttributes } from "#/apiserver/model/authorizer.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { pack, subjects, userOf, verbs } from "./authorization-matrix.ts";

const file = join(import.meta.dirname, "recorded/authorization-matrix.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;

test("every bootstrap role allows exactly the requests that the real server allows", async () => {
  await using api = await startApiServer();
  await ensureBootstrapPolicy(api);
  const roles = readBootstrapPolicy().clusterroles.map(({ metadata }) => metadata.name ?? "");
  for (const role of roles) {
    await api.call("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: userOf(role) },
      subjects: [{ kind: "User", name: userOf(role) }],
      roleRef: { kind: "ClusterRole", name: role },
    });
  }
  const authorizer = new RbacAuthorizer(rbacIndexOf(api.registry));
  const answered = roles.map((role) => {
    const user = { name: userOf(role), groups: [] };
    const answers = subjects().flatMap(({ group, ...what }) =>
      verbs.map((verb) => {
        const asked = { ...noAttributes, ...what, apiGroup: group, apiVersion: "*", user, verb };
        return authorizer.authorize(asked).decision === "allow";
      }),
    );
    return [role, pack(answers)];
  });
  assert.deepEqual(Object.fromEntries(answered), recorded);
});
