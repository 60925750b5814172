import assert from "node:assert/strict";
import { test } from "node:test";
import { jobs } from "#/api/batch/v1.ts";
import { namespaces, type Pod, pods, resourceQuotas } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import { directClient } from "../components.ts";
import { FaultyStorage } from "../faulty-storage.ts";
import { templateOf } from "../manifests.ts";
import { World } from "../world.ts";
import { jobLimits } from "./jobs.ts";
import type { Property } from "./property.ts";
import { QuotaIsKept } from "./quotas.ts";

const namespace = "ns1";

/** A server where no quota is enforced and no controller runs: each case simulates them. */
async function watched(property: Property) {
  const clock = new FakeClock();
  const storage = new FaultyStorage({ clock, historyLimit: 100 });
  const without = "--disable-admission-plugins=ServiceAccount,ResourceQuota";
  const api = await startAdmittingServer([without], { clock, storage });
  const world = new World(api.registry, clock);
  const violations: string[] = [];
  storage.onCommit = (path, value) => {
    const change = world.apply(path, value);
    const problem = change && property.check(change, world);
    if (problem) violations.push(problem);
  };
  const client = directClient(api.handler, clock);
  await client.create(namespaces, { metadata: { name: namespace }, spec: {} });
  return { client, clock, violations, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

async function createPod(client: Client, name: string, uid?: string): Promise<void> {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "job", uid: uid ?? "" };
  const { spec } = templateOf("app", 1);
  const pod: Pod = {
    metadata: {
      namespace,
      name,
      ...(uid ? { ownerReferences: [{ ...owner, controller: true }] } : {}),
    },
    spec: { ...spec, containers: spec?.containers ?? [], nodeName: "node-0" },
  };
  await client.create(pods, pod);
}

const later = "later";

/** Numbers are writes of the usage, words are names of created Pods. */
const quotaCases: readonly {
  readonly name: string;
  readonly writes: readonly (string | number)[];
  readonly found?: readonly string[];
}[] = [
  { name: "there are as many Pods as allowed", writes: [1, "a", 2, "b"] },
  {
    name: "there is one more than allowed",
    writes: [1, "a", 2, "b", "c"],
    found: ["ns1/quota: 3 Pods, the limit is 2"],
  },
  { name: "a count leaves out a Pod that is there", writes: [1, "a", 2, "b", 1, 2, "c"] },
  { name: "a count leaves out a Pod that is not there yet", writes: [1, "a", 2, 1, "b", 2, "c"] },
  {
    name: "there is one more than a count left out",
    writes: [1, "a", 2, "b", 1, 2, "c", "d"],
    found: ["ns1/quota: 4 Pods, the limit is 2"],
  },
  {
    name: "a count leaves out one that failed, and there is one more than allowed",
    writes: [1, "a", 2, later, 1, "b", "c"],
    found: ["ns1/quota: 3 Pods, the limit is 2"],
  },
];

for (const { name, writes, found = [] } of quotaCases) {
  test(`a quota is ${found.length > 0 ? "violated" : "kept"} when ${name}`, async () => {
    await using server = await watched(new QuotaIsKept());
    const { client, clock, violations } = server;
    const metadata = { namespace, name: "quota" };
    await client.create(resourceQuotas, { metadata, spec: { hard: { pods: "2" } } });
    for (const write of writes) {
      if (write === later) await clock.advance(1_000);
      else if (typeof write === "string") await createPod(client, write);
      else {
        const status = { hard: { pods: "2" }, used: { pods: String(write) } };
        await client.patchStatus(resourceQuotas, metadata, { status });
      }
    }
    assert.deepEqual(violations, found);
  });
}

for (const { name, deleted, found } of [
  { name: "succeed", deleted: "", found: ["ns1/job: 2 Pods succeeded, completions is 1"] },
  { name: "succeed, one while it is being deleted,", deleted: "a", found: [] },
]) {
  test(`a Job of one completion with two Pods that ${name} violates ${found.length} properties`, async () => {
    await using server = await watched(jobLimits());
    const { client, violations } = server;
    const { spec } = templateOf("app", 1);
    const template = {
      metadata: {},
      spec: { ...spec, containers: spec?.containers ?? [], restartPolicy: "Never" as const },
    };
    const job = await client.create(jobs, {
      metadata: { namespace, name: "job" },
      spec: { completions: 1, parallelism: 1, template },
    });
    for (const pod of ["a", "b"]) {
      await createPod(client, pod, job.metadata.uid);
      if (pod === deleted) await client.delete(pods, { namespace, name: pod });
      const status = { phase: "Succeeded" };
      await client.patchStatus(pods, { namespace, name: pod }, { status });
    }
    assert.deepEqual(violations, found);
  });
}
