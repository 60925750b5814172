import assert from "node:assert/strict";
import { test } from "node:test";
import { privilegedGroup } from "#/apiserver/auth/fixed-authorizers.ts";
import { RbacAuthorizer } from "#/apiserver/auth/rbac/rbac-authorizer.ts";
import { rbacIndexOf } from "#/apiserver/auth/rbac/rbac-index-of.ts";
import { UnionAuthorizer } from "#/apiserver/auth/union-authorizer.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { maxCpuMs } from "./measure.ts";

const group = "/apis/rbac.authorization.k8s.io/v1";
const alice = { name: "alice", groups: ["system:authenticated"] };

const list = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => prefix + index);

/** The rule grants as many permissions as the third power of the count. */
const cube = (count: number) => ({
  apiGroups: list("g", count),
  resources: list("r", count),
  verbs: list("v", count),
});

/** Alice may write roles, and has the rules. */
async function startWith(rules: readonly object[]): Promise<TestApiServer> {
  const api = await startApiServer({
    gates: (registry) => ({
      authorizer: new UnionAuthorizer([privilegedGroup, new RbacAuthorizer(rbacIndexOf(registry))]),
    }),
  });
  const writes = { verbs: ["create"], apiGroups: ["*"], resources: ["roles", "clusterroles"] };
  const subjects = [{ kind: "User", name: "alice" }];
  for (const [resource, body] of [
    ["clusterroles", { rules: [writes, ...rules] }],
    ["clusterrolebindings", { subjects, roleRef: { kind: "ClusterRole", name: "alice" } }],
  ] as const) {
    const answer = await api.call("POST", `${group}/${resource}`, {
      metadata: { name: "alice" },
      ...body,
    });
    assert.equal(answer.status, 201, answer.text);
  }
  return api;
}

async function createRole(
  api: TestApiServer,
  rules: readonly object[],
  path = "namespaces/default/roles",
) {
  const body = { metadata: { name: "a" }, rules };
  const before = process.threadCpuUsage();
  const { status, text } = await api.call("POST", `${group}/${path}?dryRun=All`, body, {
    user: alice,
  });
  const { user, system } = process.threadCpuUsage(before);
  return { status, text, cpuMs: (user + system) / 1000, sentBytes: JSON.stringify(body).length };
}

test("a role with 27 million permissions is refused, shortly and with a short answer", async () => {
  await using api = await startWith([]);
  const { status, text, cpuMs, sentBytes } = await createRole(api, [cube(300)]);
  assert.equal(status, 403);
  assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms`);
  assert.ok(text.length < 4 * sentBytes, `${text.length} bytes for ${sentBytes}`);
});

test("a role with 27 million permissions is created by a user who has them", async () => {
  await using api = await startWith([cube(300)]);
  const { status, cpuMs } = await createRole(api, [cube(300)]);
  assert.equal(status, 201);
  assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms`);
});

test("thousands of rules are compared with thousands", async () => {
  const rules = (verb: string) =>
    list("n", 8_000).map((name) => ({
      verbs: [verb, `${verb}-${name}`],
      apiGroups: [""],
      resources: ["pods"],
      resourceNames: [name, "all"],
    }));
  await using api = await startWith(rules("get"));
  const held = await createRole(api, rules("get").slice(0, 2_000));
  assert.equal(held.status, 201, held.text.slice(0, 200));
  const lacking = await createRole(api, rules("list"));
  assert.equal(lacking.status, 403);
  assert.ok(lacking.cpuMs < 10 * maxCpuMs, `${lacking.cpuMs} ms`);
  assert.ok(lacking.text.length < 4 * lacking.sentBytes);
});

test("thousands of path patterns are compared with thousands, in one rule or in many", async () => {
  const paths = list("/metrics/n", 8_000).map((path) => `${path}/*`);
  const inOne = [{ verbs: ["get"], nonResourceURLs: paths }];
  const inMany = paths.map((path) => ({ verbs: ["get"], nonResourceURLs: [path] }));
  const below = (one: { nonResourceURLs: string[] }) => ({
    verbs: ["get"],
    nonResourceURLs: one.nonResourceURLs.map((path) => path.replace("*", "a")),
  });
  const beside = (one: { nonResourceURLs: string[] }) => ({
    verbs: ["get"],
    nonResourceURLs: one.nonResourceURLs.map((path) => path.replace("/*", "-a")),
  });
  for (const own of [inOne, inMany]) {
    await using api = await startWith(own);
    for (const wanted of [inOne, inMany]) {
      const held = await createRole(api, wanted.map(below), "clusterroles");
      assert.equal(held.status, 201, held.text.slice(0, 200));
      assert.ok(held.cpuMs < 5 * maxCpuMs, `${held.cpuMs} ms`);
      const lacking = await createRole(api, wanted.map(beside), "clusterroles");
      assert.equal(lacking.status, 403);
      assert.ok(lacking.cpuMs < 5 * maxCpuMs, `${lacking.cpuMs} ms`);
    }
  }
});

test("a small role is refused with each lacking permission", async () => {
  await using api = await startWith([{ verbs: ["get"], apiGroups: ["g0"], resources: ["r0"] }]);
  const { status, text } = await createRole(api, [cube(2)]);
  assert.equal(status, 403);
  const { message } = JSON.parse(text) as { message: string };
  assert.deepEqual(message.split("\n").slice(1), [
    '{APIGroups:["g0"], Resources:["r0"], Verbs:["v0" "v1"]}',
    '{APIGroups:["g0"], Resources:["r1"], Verbs:["v0" "v1"]}',
    '{APIGroups:["g1"], Resources:["r0"], Verbs:["v0" "v1"]}',
    '{APIGroups:["g1"], Resources:["r1"], Verbs:["v0" "v1"]}',
  ]);
});
