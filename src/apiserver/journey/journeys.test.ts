import assert from "node:assert/strict";
import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Journey } from "#/machinery/journey/step.ts";
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

test("a user without permission reads no journey", async () => {
  await using server = await start();
  await server.as("admintoken", "POST", pods, pod("a"));
  assert.equal((await server.as("alicetoken", "GET", journeyOf("a"))).status, 403);
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
