import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterRole } from "#/api/rbac/v1.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { type BootstrapPolicy, readBootstrapPolicy } from "./bootstrap-policy.ts";
import { ensureBootstrapPolicy } from "./ensure-bootstrap-policy.ts";

const group = "/apis/rbac.authorization.k8s.io/v1";

/** The server's objects, without fields that differ between servers. */
async function stored(api: TestApiServer): Promise<BootstrapPolicy> {
  const names = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"];
  const lists = names.map(async (name) => {
    const { json } = await api.call("GET", `${group}/${name}`);
    return [name, json.items.map(withoutServerFields)];
  });
  return Object.fromEntries(await Promise.all(lists));
}

// biome-ignore lint/suspicious/noExplicitAny: objects of four kinds, as JSON has them.
function withoutServerFields({ metadata, rules, ...rest }: any): unknown {
  const { uid, resourceVersion, creationTimestamp, managedFields, ...meta } = metadata;
  return { metadata: meta, ...rest, ...(rules ? { rules } : {}) };
}

test("ensureBootstrapPolicy() creates the same objects as the real server", async () => {
  await using api = await startApiServer();
  await ensureBootstrapPolicy(api);
  assert.deepEqual(await stored(api), readBootstrapPolicy());
});

test("ensureBootstrapPolicy() restores removed rules and keeps added ones", async () => {
  await using api = await startApiServer();
  await ensureBootstrapPolicy(api);
  const url = `${group}/clusterroles/system:basic-user`;
  const { json: role } = await api.call("GET", url);
  const own = { verbs: ["get"], apiGroups: ["example.com"], resources: ["widgets"] };
  const { rules } = role as ClusterRole;
  await api.call("PUT", url, { ...role, rules: [own], metadata: { name: role.metadata.name } });
  await ensureBootstrapPolicy(api);
  const { json: again } = await api.call("GET", url);
  assert.deepEqual(again.metadata.labels, role.metadata.labels);
  assert.deepEqual(again.rules.slice(0, 1), [own]);
  assert.equal(again.rules.length, 1 + (rules ?? []).flatMap((rule) => rule.resources).length);
});

test("ensureBootstrapPolicy() does not change protected objects", async () => {
  await using api = await startApiServer();
  await ensureBootstrapPolicy(api);
  const url = `${group}/clusterroles/system:basic-user`;
  const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
  await api.call("PUT", url, { metadata: { name: "system:basic-user", annotations }, rules: [] });
  await ensureBootstrapPolicy(api);
  assert.equal((await api.call("GET", url)).json.rules, null);
});

test("ensureBootstrapPolicy() recreates a binding that refers to another role", async () => {
  await using api = await startApiServer();
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "other" };
  const wrong = { metadata: { name: "cluster-admin" }, roleRef };
  await api.call("POST", `${group}/clusterrolebindings`, wrong);
  await ensureBootstrapPolicy(api);
  assert.deepEqual(await stored(api), readBootstrapPolicy());
});
