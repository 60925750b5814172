import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";
import { rbacResources } from "./index.ts";

const group = "/apis/rbac.authorization.k8s.io/v1";

/** Recorded responses of the real server. */
const cases = [
  {
    path: "clusterroles",
    body: {
      rules: [{}, { verbs: ["get"], nonResourceURLs: ["/a"], apiGroups: [""] }, { verbs: ["get"] }],
      aggregationRule: {},
    },
    message:
      'ClusterRole.rbac.authorization.k8s.io "bad" is invalid: [rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: resource rules must supply at least one resource, rules[1].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs, rules[2].apiGroups: Required value: resource rules must supply at least one api group, rules[2].resources: Required value: resource rules must supply at least one resource, aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil, rules[0].verbs: Required value]',
  },
  {
    path: "namespaces/default/roles",
    body: {
      rules: [
        { verbs: [], nonResourceURLs: ["/x"] },
        { verbs: ["get"], resources: ["a"] },
      ],
    },
    message:
      'Role.rbac.authorization.k8s.io "bad" is invalid: [rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs, rules[1].apiGroups: Required value: resource rules must supply at least one api group, rules[0].verbs: Required value]',
  },
  {
    path: "namespaces/default/rolebindings",
    body: {
      subjects: [
        { kind: "User" },
        { kind: "Foo", name: "x" },
        { kind: "ServiceAccount", name: "A_b", apiGroup: "x" },
      ],
      roleRef: { kind: "Foo" },
    },
    message: `RoleBinding.rbac.authorization.k8s.io "bad" is invalid: [roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole", subjects[1].kind: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group", subjects[2].name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), subjects[2].apiGroup: Unsupported value: "x": supported values: "", subjects[0].name: Required value, roleRef.name: Required value]`,
  },
  {
    path: "clusterrolebindings",
    body: {
      subjects: [{ kind: "ServiceAccount", name: "a" }],
      roleRef: { kind: "Role", name: "a/b" },
    },
    message:
      'ClusterRoleBinding.rbac.authorization.k8s.io "bad" is invalid: [roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole", roleRef.name: Invalid value: "a/b": may not contain \'/\', subjects[0].namespace: Required value]',
  },
];

for (const { path, body, message } of cases) {
  test(`${path}: an invalid object is rejected`, async () => {
    await using api = await startApiServer({ resources: rbacResources });
    const answer = await api.call("POST", `${group}/${path}`, {
      metadata: { name: "bad" },
      ...body,
    });
    assert.equal(answer.json.message, message);
  });
}

const changes = [
  {
    name: "",
    message:
      'RoleBinding.rbac.authorization.k8s.io "b" is invalid: [roleRef.name: Required value, roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":""}: field is immutable]',
  },
  {
    name: "view",
    message:
      'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"view"}: field is immutable',
  },
];

for (const { name, message } of changes) {
  test(`rolebindings: the role is immutable: rejects ${JSON.stringify(name)}`, async () => {
    await using api = await startApiServer({ resources: rbacResources });
    const url = `${group}/namespaces/default/rolebindings`;
    const subjects = [{ kind: "User", name: "alice" }];
    const binding = { metadata: { name: "b" }, subjects };
    const made = await api.call("POST", url, {
      ...binding,
      roleRef: { kind: "ClusterRole", name: "edit" },
    });
    assert.deepEqual(made.json.subjects, [
      { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" },
    ]);
    const roleRef = { kind: "ClusterRole", name };
    assert.equal(
      (await api.call("PUT", `${url}/b`, { ...binding, roleRef })).json.message,
      message,
    );
  });
}
