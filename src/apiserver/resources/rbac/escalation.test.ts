import assert from "node:assert/strict";
import { test } from "node:test";
import { privilegedGroup } from "#/apiserver/auth/fixed-authorizers.ts";
import { RbacAuthorizer } from "#/apiserver/auth/rbac/rbac-authorizer.ts";
import { rbacIndexOf } from "#/apiserver/auth/rbac/rbac-index-of.ts";
import { UnionAuthorizer } from "#/apiserver/auth/union-authorizer.ts";
import { admin, startApiServer } from "#/testing/start-api-server.ts";

const group = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const alice = { name: "alice", groups: ["g1", "g2", "system:authenticated"] };
async function start() {
  const api = await startApiServer({
    gates: (registry) => ({
      authorizer: new UnionAuthorizer([privilegedGroup, new RbacAuthorizer(rbacIndexOf(registry))]),
    }),
  });
  const create = (path: string, body: object) =>
    api.call("POST", `${group}/${path}`, body, { user: admin });
  await create("clusterroles", {
    metadata: { name: "writer" },
    rules: [
      {
        verbs: ["create", "update", "get", "patch"],
        apiGroups: [rbacGroup],
        resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
      },
    ],
  });
  await create("clusterroles", { metadata: { name: "view" } });
  await create("clusterroles", {
    metadata: { name: "reader" },
    rules: [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "nodes"] }],
  });
  const bind = (name: string, to: string, role: string) =>
    create("clusterrolebindings", {
      metadata: { name },
      subjects: [{ kind: "Group", name: to }],
      roleRef: { kind: "ClusterRole", name: role },
    });
  await bind("g1", "g1", "writer");
  await bind("missing", "g2", "nosuch");
  return api;
}

const denial = `user "alice" (groups=["g1" "g2" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:`;

const refused = [
  {
    name: "rules that the user doesn't have",
    path: "clusterroles",
    body: {
      rules: [
        {
          verbs: ["get", "list"],
          apiGroups: [""],
          resources: ["secrets", "pods"],
          resourceNames: ["a", "b"],
        },
        { verbs: ["get"], nonResourceURLs: ["/x"] },
        { verbs: ["get"], apiGroups: [rbacGroup], resources: ["roles"] },
        {},
      ],
    },
    status: 403,
    message: `clusterroles.rbac.authorization.k8s.io "esc" is forbidden: ${denial}
{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}
{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get" "list"]}
{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get" "list"]}
{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get" "list"]}
{NonResourceURLs:["/x"], Verbs:["get"]}; resolution errors: [clusterroles.rbac.authorization.k8s.io "nosuch" not found]`,
  },
  {
    name: "aggregation",
    path: "clusterroles",
    body: { aggregationRule: { clusterRoleSelectors: [{}] } },
    status: 403,
    message:
      'clusterroles.rbac.authorization.k8s.io "esc" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  },
  {
    name: "a binding to a kind that is no role",
    path: "namespaces/default/rolebindings",
    body: { roleRef: { kind: "Foo", name: "x" } },
    status: 500,
    message: 'unsupported role reference kind: "Foo"',
  },
  {
    name: "a binding to a role that isn't there",
    path: "namespaces/default/rolebindings",
    body: { roleRef: { kind: "Role", name: "x" } },
    status: 404,
    message: 'rolebindings.rbac.authorization.k8s.io "x" not found',
  },
  {
    name: "a binding to a role that can do more",
    path: "clusterrolebindings",
    body: { roleRef: { kind: "ClusterRole", name: "reader" } },
    status: 403,
    message: `clusterrolebindings.rbac.authorization.k8s.io "esc" is forbidden: ${denial}
{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}
{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}; resolution errors: [clusterrolebindings.rbac.authorization.k8s.io "nosuch" not found]`,
  },
];

for (const { name, path, body, status, message } of refused) {
  test(`escalation: refuses ${name}`, async () => {
    await using api = await start();
    const object = { metadata: { name: "esc" }, ...body };
    const { json } = await api.call("POST", `${group}/${path}`, object, { user: alice });
    assert.deepEqual({ status: json.code, message: json.message }, { status, message });
  });
}

test("escalation: grants of what the user has, and changes for the garbage collector, pass", async () => {
  await using api = await start();
  const own = { verbs: ["get"], apiGroups: [rbacGroup], resources: ["roles"] };
  const role = { metadata: { name: "own" }, rules: [own] };
  const made = await api.call("POST", `${group}/clusterroles`, role, { user: alice });
  assert.equal(made.status, 201);
  const bound = {
    metadata: { name: "b" },
    subjects: [{ kind: "User", name: "bob" }],
    roleRef: { kind: "ClusterRole", name: "view" },
  };
  const binding = await api.call("POST", `${group}/clusterrolebindings`, bound, { user: alice });
  assert.equal(binding.status, 201);
  const reader = await api.call("GET", `${group}/clusterroles/reader`);
  const metadata = { ...reader.json.metadata, finalizers: ["example.com/x"] };
  const changed = { ...reader.json, metadata };
  const url = `${group}/clusterroles/reader`;
  assert.equal((await api.call("PUT", url, changed, { user: alice })).status, 200);
  const grown = { ...changed, metadata: { name: "reader", labels: { a: "b" } } };
  assert.equal((await api.call("PUT", url, grown, { user: alice })).status, 403);
});
