import assert from "node:assert/strict";
import { test } from "node:test";
import { labelValue, userBinding, usersOf } from "./user-bindings.ts";

for (const [user, label] of [
  ["jane", "jane"],
  ["jane@example.com", "jane-example.com"],
  ["-jane-", "jane"],
  ["使用者", ""],
  [`${"x".repeat(62)}@y`, "x".repeat(62)],
] as const) {
  test(`labelValue() of ${user}`, () => assert.equal(labelValue(user), label));
}

for (const { name, change } of [
  { name: "with another name", change: { metadata: { name: "-Alx!=y" } } },
  { name: "of another user", change: { subjects: [{ kind: "User", name: "admin" }] } },
  { name: "of a group", change: { subjects: [{ kind: "Group", name: "jane" }] } },
  { name: "of no user", change: { subjects: [] } },
]) {
  test(`usersOf() leaves out a binding ${name}, which a tenant has labelled`, () => {
    const made = userBinding({ user: "jane", role: "edit", namespace: "web" }) as {
      readonly metadata: object;
    };
    const { metadata = {}, ...rest } = change as { metadata?: object };
    const found = { ...made, ...rest, metadata: { ...made.metadata, ...metadata } };
    assert.deepEqual(usersOf({ items: [found as never] }), []);
    assert.equal(usersOf({ items: [made as never] }).length, 1);
  });
}

for (const namespace of ["", "web"]) {
  test(`a user of ${namespace || "all namespaces"} is found by the binding`, () => {
    const made = userBinding({ user: "a/b@c", role: "edit", namespace });
    const { kind, metadata } = made as { kind: string; metadata: { name: string } };
    assert.equal(kind, namespace === "" ? "ClusterRoleBinding" : "RoleBinding");
    assert.equal(metadata.name, "k8ts-user:a-b@c:edit");
    assert.deepEqual(usersOf({ items: [made as never] }), [
      {
        user: "a/b@c",
        role: "edit",
        namespace,
        resource: kind.toLowerCase(),
        binding: metadata.name,
      },
    ]);
  });
}
