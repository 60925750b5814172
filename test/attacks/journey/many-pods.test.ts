import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openJourneys } from "#/apiserver/journey/open-journeys.ts";
import { analyse } from "#/machinery/journey/analyse.ts";
import type { Journey } from "#/machinery/journey/step.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";

const count = 10_000;
/** Requests under way at a time. */
const clients = 50;
const tokens = [
  'admintoken,admin,admin-uid,"system:masters"',
  "schedulertoken,system:kube-scheduler,scheduler-uid",
];
const path = "/api/v1/namespaces/a/pods";
const group = "/apis/journey.k8ts.dev/v1";
const containers = [{ name: "main", image: "app:1" }];

/** A server whose memory has room for the records of a few thousand Pods. */
async function start(directory: string | undefined) {
  const journeys = await openJourneys({ clock: systemClock, directory, memoryBytes: 512 << 10 });
  const flags = ["--disable-admission-plugins=ServiceAccount"];
  const { recorder: marks } = journeys;
  const server = await startSecuredServer({ marks, admission: true, tokens, flags });
  await journeys.serve(server.api.registry);
  await journeys.ensurePolicy(server.handler, server.api.registry);
  await server.as("admintoken", "POST", "/api/v1/namespaces", { metadata: { name: "a" } });
  const uids: string[] = [];
  const create = async (index: number) => {
    const body = { metadata: { name: `p-${index}` }, spec: { containers } };
    const { status, json, text } = await server.as("admintoken", "POST", path, body);
    assert.equal(status, 201, text);
    uids[index] = json.metadata.uid;
  };
  return {
    journeys,
    async createAll(pods: number) {
      let next = 0;
      const client = async () => {
        while (next < pods) await create(next++);
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
    report: (items: object[]) => server.as("schedulertoken", "POST", `${group}/steps`, { items }),
    uid: (index: number) => uids[index] ?? "",
    async journey(index: number) {
      const url = `${group}/namespaces/a/journeys/p-${index}`;
      const { status, json } = await server.as("admintoken", "GET", url);
      return status === 200 ? (json as Journey) : undefined;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await journeys[Symbol.asyncDispose]();
    },
  };
}

test("of 10,000 Pods at once, the first, the middle and the last are known, in bounded memory", async () => {
  const directory = await mkdtemp(join(tmpdir(), "journeys-"));
  try {
    await using server = await start(directory);
    await server.createAll(count);
    const { heldBytes } = server.journeys;
    assert.ok(heldBytes.steps <= (512 + 300) << 10, `steps: ${heldBytes.steps}`);
    assert.ok(heldBytes.versions <= 32 << 20, `versions: ${heldBytes.versions}`);
    for (const index of [0, count / 2, count - 1]) {
      const journey = await server.journey(index);
      assert.equal(journey?.of.uid, server.uid(index));
      const names = journey?.steps.map(({ name }) => name) ?? [];
      for (const name of ["request", "mutate", "validate", "commit", "notify"]) {
        assert.ok(names.includes(name), `p-${index}: ${names}`);
      }
    }
    // Nothing was lost on the way to the disk: a record is longer than 100 bytes.
    const files = await readdir(join(directory, "steps"));
    const sizes = await Promise.all(files.map((name) => stat(join(directory, "steps", name))));
    assert.ok(sizes.reduce((sum, { size }) => sum + size, 0) > count * 100);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("what was dropped of a journey is missing, and shown as missing", async () => {
  await using server = await start(undefined);
  const pods = 5000;
  await server.createAll(pods);
  // The server has no files, and no room in memory.
  assert.equal(await server.journey(0), undefined);
  const of = { resource: "pods", namespace: "a", name: "p-0", uid: server.uid(0) };
  const step = (name: string, second: string) => ({
    ...{ of, layer: "scheduling", name, outcome: "ok" },
    ...{ from: `2026-01-01T00:00:${second}.000000Z`, to: `2026-01-01T00:00:${second}.100000Z` },
  });
  const { status } = await server.report([step("attempt", "10"), step("bind", "15")]);
  assert.equal(status, 201);
  const journey = await server.journey(0);
  assert.deepEqual(
    journey?.steps.map(({ name }) => name),
    ["attempt", "bind"],
  );
  const analysis = journey && analyse(journey);
  assert.ok(analysis?.missing.includes("client") && analysis.missing.includes("store"));
  assert.deepEqual(
    analysis?.gaps.map(({ fromMs, toMs }) => toMs - fromMs),
    [4900],
  );
  assert.equal((await server.journey(pods - 1))?.of.uid, server.uid(pods - 1));
});
