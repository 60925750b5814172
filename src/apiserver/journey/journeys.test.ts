import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Journey } from "#/machinery/journey/step.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { openJourneys } from "./open-journeys.ts";

const group = "/apis/journey.k8ts.dev/v1";
const pods = "/api/v1/namespaces/default/pods";
const journeyOf = (name: string) => `${group}/namespaces/default/journeys/${name}`;
const tokens = [
  'admintoken,admin,admin-uid,"system:masters"',
  "alicetoken,alice,alice-uid",
  "schedulertoken,system:kube-scheduler,scheduler-uid",
  'nodetoken,system:node:n1,n1-uid,"system:nodes"',
];

async function start(directory?: string) {
  const journeys = await openJourneys({ clock: systemClock, directory });
  const server = await startSecuredServer({
    marks: journeys.recorder,
    admission: true,
    tokens,
    flags: ["--disable-admission-plugins=ServiceAccount"],
  });
  await journeys.serve(server.api.registry);
  await journeys.ensurePolicy(server.handler, server.api.registry);
  await server.as("admintoken", "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  return {
    ...journeys,
    as: server.as.bind(server),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await journeys[Symbol.asyncDispose]();
    },
  };
}

const pod = (name: string) => ({
  metadata: { name },
  spec: { containers: [{ name: "main", image: "registry.example/main:1" }] },
});

const namesOf = ({ steps }: Journey) => steps.map(({ layer, name }) => `${layer}/${name}`);

const step = (layer: string, of: object) => ({
  of: { resource: "pods", namespace: "default", name: "a", ...of },
  layer,
  name: "x",
  from: "2026-01-01T00:00:00.000000Z",
  outcome: "ok",
});

test("a write leaves a step in each layer of the server", async () => {
  await using server = await start();
  const created = await server.as("admintoken", "POST", pods, pod("a"));
  assert.equal(created.status, 201, created.text);
  const { json } = await server.as("admintoken", "GET", journeyOf("a"));
  assert.equal(json.of.uid, created.json.metadata.uid);
  assert.deepEqual(namesOf(json).sort(), [
    "admission/mutate",
    "admission/validate",
    "authentication/authenticate",
    "authorization/authorize",
    "client/request",
    "store/check",
    "store/commit",
    "store/decode",
    "store/notify",
  ]);
  const commit = (json as Journey).steps.find(({ name }) => name === "commit");
  assert.equal(commit?.revision, created.json.metadata.resourceVersion);
  const mutate = (json as Journey).steps.find(({ name }) => name === "mutate");
  const plugins = mutate?.facts?.["plugins"] as { name: string; changed?: string[] }[];
  assert.deepEqual(plugins.find(({ name }) => name === "DefaultTolerationSeconds")?.changed, [
    "/spec/tolerations",
  ]);
});

test("a refused write leaves the layer that refused it", async () => {
  await using server = await start();
  const bad = { ...pod("b"), spec: { containers: [] } };
  assert.equal((await server.as("admintoken", "POST", pods, bad)).status, 422);
  const { json } = await server.as("admintoken", "GET", journeyOf("b"));
  const failed = (json as Journey).steps.filter(({ outcome }) => outcome === "failed");
  assert.deepEqual(
    failed.map(({ layer, name, reason }) => ({ layer, name, reason })),
    [{ layer: "store", name: "check", reason: "Invalid" }],
  );
});

test("nothing is kept of Secrets", async () => {
  await using server = await start();
  const secret = { metadata: { name: "s" }, stringData: { password: "hunter2" } };
  const url = "/api/v1/namespaces/default/secrets";
  assert.equal((await server.as("admintoken", "POST", url, secret)).status, 201);
  const { status } = await server.as("admintoken", "GET", `${journeyOf("s")}?resource=secrets`);
  assert.equal(status, 404);
});

test("components report steps of their own layers, and nodes of their own Pods", async () => {
  await using server = await start();
  const bound = { ...pod("a"), spec: { ...pod("a").spec, nodeName: "n1" } };
  const a = await server.as("admintoken", "POST", pods, bound);
  const b = await server.as("admintoken", "POST", pods, pod("b"));
  const uid = a.json.metadata.uid as string;
  const report = (token: string, ...items: object[]) =>
    server.as(token, "POST", `${group}/steps`, { items });
  assert.equal((await report("schedulertoken", step("scheduling", { uid }))).status, 201);
  assert.equal((await report("schedulertoken", step("node", { uid }))).status, 403);
  assert.equal((await report("alicetoken", step("scheduling", { uid }))).status, 403);
  assert.equal((await report("schedulertoken", { layer: "scheduling" })).status, 400);
  const other = { name: "b", uid: b.json.metadata.uid };
  assert.equal((await report("nodetoken", step("node", { uid }), step("node", other))).status, 201);
  const by = async (name: string) =>
    ((await server.as("admintoken", "GET", journeyOf(name))).json as Journey).steps
      .filter(({ name }) => name === "x")
      .map(({ layer, by }) => [layer, by]);
  assert.deepEqual(await by("a"), [
    ["scheduling", "system:kube-scheduler"],
    ["node", "system:node:n1"],
  ]);
  assert.deepEqual(await by("b"), []);
});

test("a step of the future says by how much its clock is ahead, as the server found", async () => {
  await using server = await start();
  const { json } = await server.as("admintoken", "POST", pods, pod("a"));
  const of = { resource: "pods", namespace: "default", name: "a", uid: json.metadata.uid };
  const at = (ms: number) => formatMicroTime(systemClock.now() + ms);
  const setBack = { from: at(-2000), to: at(-3000) };
  const items = [
    {
      ...step("scheduling", of),
      ...{ name: "now", from: at(-1000), facts: { clockAheadMs: 9, node: "n" } },
    },
    { ...step("scheduling", of), name: "ahead", from: at(600_000), to: at(600_001) },
    { ...step("scheduling", of), name: "set back", ...setBack },
  ];
  const reported = await server.as("schedulertoken", "POST", `${group}/steps`, { items });
  assert.equal(reported.status, 201, reported.text);
  const journey = (await server.as("admintoken", "GET", journeyOf("a"))).json as Journey;
  const found = (name: string) => journey.steps.find((one) => one.name === name);
  assert.deepEqual(found("now")?.facts, { node: "n" });
  const aheadMs = Number(found("ahead")?.facts?.["clockAheadMs"]);
  assert.ok(aheadMs > 500_000 && aheadMs <= 600_001, String(aheadMs));
  // What was reported is shown as it was.
  const { from, to } = found("set back") ?? {};
  assert.deepEqual({ from, to }, setBack);
});

test("a user without permission reads no journey", async () => {
  await using server = await start();
  await server.as("admintoken", "POST", pods, pod("a"));
  assert.equal((await server.as("alicetoken", "GET", journeyOf("a"))).status, 403);
});

test("a tenant sees journeys and history of its own namespace only", async () => {
  await using server = await start();
  const admin = (url: string, body: object) => server.as("admintoken", "POST", url, body);
  await admin("/api/v1/namespaces", { metadata: { name: "b" } });
  await admin(pods, pod("a"));
  await admin("/api/v1/namespaces/b/pods", pod("own"));
  await admin("/api/v1/nodes", { metadata: { name: "n1" } });
  const rbac = "rbac.authorization.k8s.io";
  const bound = await admin(`/apis/${rbac}/v1/namespaces/b/rolebindings`, {
    metadata: { name: "tenant" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "k8ts:journey:view" },
    subjects: [{ kind: "User", apiGroup: rbac, name: "alice" }],
  });
  assert.equal(bound.status, 201);
  const uid = (await server.as("admintoken", "GET", `${pods}/a`)).json.metadata.uid as string;
  const alice = async (path: string) => {
    const { status, text } = await server.as("alicetoken", "GET", `${group}/${path}`);
    // Whatever the answer is, it has nothing of the other namespace.
    assert.ok(!text.includes(uid) && !text.includes("registry.example"), `${path}: ${text}`);
    return status;
  };
  const own = "namespaces/b/journeys";
  for (const [path, status] of [
    [`${own}/own`, 200],
    [`${own}/a`, 404],
    [`${own}/a?uid=${uid}`, 404],
    [`${own}/own?uid=${uid}`, 404],
    [`${own}/..%2F..%2Fdefault%2Fjourneys%2Fa`, 403],
    [`${own}/a?resource=pods%2F..%2Fdefault`, 403],
    [`${own}/n1?resource=nodes`, 403],
    [`${own}?resource=deployments.apps`, 403],
    [`${own}?watch=1&resource=secrets`, 403],
    ["namespaces/default/journeys/a", 403],
    ["namespaces/default/journeys", 403],
    ["namespaces/default/journeys?watch=1", 403],
    ["journeys", 403],
    ["journeys?watch=1", 403],
    ["clusterjourneys?resource=pods", 403],
    ["clusterjourneys/a?resource=pods", 403],
    ["namespaces/default/histories/a", 403],
    ["namespaces/b/histories/a?resource=pods", 403],
    ["histories", 403],
    ["clusterhistories", 403],
  ] as const) {
    assert.equal(await alice(path), status, path);
  }
  // Permission for the objects of the cluster is none for those of namespaces.
  await admin(`/apis/${rbac}/v1/clusterroles`, {
    metadata: { name: "cluster" },
    rules: [
      { apiGroups: ["journey.k8ts.dev"], resources: ["clusterjourneys"], verbs: ["get", "list"] },
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list"] },
    ],
  });
  await admin(`/apis/${rbac}/v1/clusterrolebindings`, {
    metadata: { name: "cluster" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster" },
    subjects: [{ kind: "User", apiGroup: rbac, name: "alice" }],
  });
  assert.equal(await alice("clusterjourneys/n1"), 200);
  const all = await server.as("alicetoken", "GET", `${group}/clusterjourneys?resource=pods`);
  assert.deepEqual(all.json.items, []);
});

test("journeys survive the object and the server, and a line that a kill cut off", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "journey-"));
  t.after(() => rm(directory, { recursive: true }));
  {
    await using server = await start(directory);
    await server.as("admintoken", "POST", pods, pod("a"));
    await server.as("admintoken", "DELETE", `${pods}/a?gracePeriodSeconds=0`);
  }
  const [file = ""] = await readdir(join(directory, "steps"));
  await appendFile(join(directory, "steps", file), '{"write":{"of":{"resource":"po');
  await using server = await start(directory);
  const { json } = await server.as("admintoken", "GET", journeyOf("a"));
  const commits = (json as Journey).steps.filter(({ name }) => name === "commit");
  assert.deepEqual(
    commits.map(({ facts }) => facts?.["verb"]),
    [undefined, "delete"],
  );
});

const historyOf = (name: string, query = "") =>
  `${group}/namespaces/default/histories/${name}?resource=configmaps${query}`;
const configMaps = "/api/v1/namespaces/default/configmaps";

test("history has who changed what, also of deleted objects and after a restart", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "history-"));
  t.after(() => rm(directory, { recursive: true }));
  let first = "";
  {
    await using server = await start(directory);
    const made = await server.as("admintoken", "POST", configMaps, {
      metadata: { name: "c" },
      data: { a: "1" },
    });
    first = made.json.metadata.resourceVersion as string;
    const changed = { ...made.json, data: { a: "2" } };
    await server.as("admintoken", "PUT", `${configMaps}/c?fieldManager=me`, changed);
    await server.as("admintoken", "DELETE", `${configMaps}/c`);
  }
  await using server = await start(directory);
  const { json } = await server.as("admintoken", "GET", historyOf("c"));
  assert.deepEqual(
    json.versions.map(({ verb, user, manager, deleted, changed, object }: never) => ({
      ...{ verb, user, manager, deleted, changed },
      data: (object as { data: unknown }).data,
    })),
    [
      {
        verb: "create",
        user: "admin",
        manager: "",
        deleted: undefined,
        changed: undefined,
        data: { a: "1" },
      },
      {
        verb: "update",
        user: "admin",
        manager: "me",
        deleted: undefined,
        changed: [".data.a"],
        data: { a: "2" },
      },
      {
        verb: "delete",
        user: "admin",
        manager: "",
        deleted: true,
        changed: [],
        data: { a: "2" },
      },
    ],
  );
  const old = await server.as("admintoken", "GET", historyOf("c", `&at=${first}`));
  assert.deepEqual(old.json.versions[0].object.data, { a: "1" });
  const late = await server.as("admintoken", "GET", historyOf("c", "&at=2100-01-01T00:00:00Z"));
  assert.equal(late.status, 404, "it was deleted before");
});

test("history of an object is for those who may read the object", async () => {
  await using server = await start();
  await server.as("admintoken", "POST", configMaps, { metadata: { name: "c" } });
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await server.as("admintoken", "POST", `${rbac}/clusterroles`, {
    metadata: { name: "historian" },
    rules: [{ apiGroups: ["journey.k8ts.dev"], resources: ["histories"], verbs: ["get", "list"] }],
  });
  await server.as("admintoken", "POST", `${rbac}/clusterrolebindings`, {
    metadata: { name: "historian" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "historian" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }],
  });
  assert.equal((await server.as("alicetoken", "GET", historyOf("c"))).status, 403);
  const feed = `${group}/namespaces/default/histories`;
  assert.deepEqual((await server.as("alicetoken", "GET", feed)).json.items, []);
  const items = (await server.as("admintoken", "GET", feed)).json.items as {
    of: { name: string };
  }[];
  assert.ok(items.some(({ of }) => of.name === "c"));
});

test("items of a list of histories have kind, name and namespace, as of any list", async () => {
  await using server = await start();
  const made = await server.as("admintoken", "POST", configMaps, { metadata: { name: "c" } });
  const { resourceVersion } = made.json.metadata as Record<string, string>;
  for (const path of [`${group}/histories`, `${group}/namespaces/default/histories`]) {
    const { json } = await server.as("admintoken", "GET", path);
    const items = json.items as { metadata: Record<string, string>; time: string }[];
    const { metadata, time, ...item } = items.find((one) => one.metadata["name"] === "c") ?? {
      ...{ metadata: {}, time: "" },
    };
    assert.partialDeepStrictEqual(item, { kind: "History", apiVersion: "journey.k8ts.dev/v1" });
    const creationTimestamp = `${time.slice(0, 19)}Z`;
    const expected = { name: "c", namespace: "default", resourceVersion, creationTimestamp };
    assert.deepEqual(metadata, expected);
  }
});
