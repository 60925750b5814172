import assert from "node:assert/strict";
import { test } from "node:test";
import { type Job, type JobSpec, jobs } from "#/api/batch/v1.ts";
import { type Pod, pods } from "#/api/core/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { formatIndexes, parseIndexes } from "./indexes.ts";
import { jobController } from "./job.ts";

const namespace = "default";
const jobOf = (spec: Partial<JobSpec>): Job => ({
  metadata: { name: "j", namespace },
  spec: {
    template: {
      metadata: {},
      spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    },
    ...spec,
  },
});

async function started(spec: Partial<JobSpec>) {
  const api = await startApiServer();
  const run = runControllersOn(api, [jobController]);
  const { client } = run;
  await client.create(jobs, jobOf(spec));
  const list = async (): Promise<readonly Pod[]> => (await client.list(pods, { namespace })).items;
  const get = (): Promise<Job> => client.get(jobs, { name: "j", namespace });
  return {
    ...run,
    list,
    get,
    running: async () => (await list()).filter(({ status }) => status?.phase === "Pending"),
    end: (pod: Pod, phase: string, exitCode = 0) =>
      client.patchStatus(pods, pod.metadata as { name: string; namespace: string }, {
        status: {
          phase,
          containerStatuses: [
            {
              name: "c",
              image: "i",
              imageID: "",
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode, finishedAt: "2020-01-01T00:00:00Z" } },
            },
          ],
        },
      }),
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

const reasons = (job: Job): string[] =>
  (job.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

test("job-controller runs pods until enough have succeeded, and counts each once", async () => {
  await using run = await started({ completions: 3, parallelism: 2 });
  const { until, running, get, end, list, events } = run;
  for (let done = 0; done < 3; done++) {
    await until("a pod", async () => (await running()).length === Math.min(2, 3 - done));
    const [pod] = await running();
    assert.ok(pod);
    await end(pod, "Succeeded");
  }
  await until("the end", async () => (await get()).status?.completionTime !== undefined);
  const job = await get();
  assert.equal(job.status?.succeeded, 3);
  assert.deepEqual(job.status.uncountedTerminatedPods, {});
  assert.deepEqual(reasons(job), [
    "SuccessCriteriaMet=True CompletionsReached",
    "Complete=True CompletionsReached",
  ]);
  assert.ok((await list()).every(({ metadata }) => metadata.finalizers === undefined));
  assert.equal(events.at(-1), "Normal Completed Job completed");
});

test("job-controller gives each Pod of an indexed Job its index", async () => {
  await using run = await started({ completions: 3, parallelism: 3, completionMode: "Indexed" });
  const { until, running, get, end } = run;
  await until("3 pods", async () => (await running()).length === 3);
  const all = await running();
  assert.deepEqual(all.map(({ spec }) => spec?.hostname).sort(), ["j-0", "j-1", "j-2"]);
  const env = all[0]?.spec?.containers[0]?.env ?? [];
  assert.equal(env[0]?.name, "JOB_COMPLETION_INDEX");
  for (const pod of all) await end(pod, "Succeeded");
  await until("the end", async () => (await get()).status?.completionTime !== undefined);
  assert.equal((await get()).status?.completedIndexes, "0-2");
});

test("job-controller fails a job that fails too often", async () => {
  await using run = await started({ backoffLimit: 0, parallelism: 2, completions: 2 });
  const { until, running, get, end, list } = run;
  await until("2 pods", async () => (await running()).length === 2);
  const [pod] = await running();
  assert.ok(pod);
  await end(pod, "Failed", 1);
  await until("the end", async () => reasons(await get()).some((one) => one.startsWith("Failed")));
  assert.deepEqual(reasons(await get()), [
    "FailureTarget=True BackoffLimitExceeded",
    "Failed=True BackoffLimitExceeded",
  ]);
  assert.equal((await get()).status?.failed, 2);
  assert.equal((await list()).length, 1);
});

test("job-controller applies a failure policy", async () => {
  await using run = await started({
    backoffLimit: 6,
    podFailurePolicy: {
      rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }],
    },
  });
  const { until, running, get, end } = run;
  await until("a pod", async () => (await running()).length === 1);
  const [pod] = await running();
  assert.ok(pod);
  await end(pod, "Failed", 42);
  await until("the end", async () => reasons(await get()).some((one) => one.startsWith("Failed")));
  assert.equal(
    (await get()).status?.conditions?.[0]?.message,
    `Container c for pod default/${pod.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
  );
});

test("job-controller suspends and resumes", async () => {
  await using run = await started({ suspend: true });
  const { until, client, running, get } = run;
  await until("suspended", async () => reasons(await get()).length === 1);
  assert.deepEqual(reasons(await get()), ["Suspended=True JobSuspended"]);
  const resume = (suspend: boolean) =>
    client.patch(jobs, { name: "j", namespace }, { spec: { suspend } }, { type: "merge" });
  await resume(false);
  await until("a pod", async () => (await running()).length === 1);
  await until("resumed", async () => reasons(await get())[0] === "Suspended=False JobResumed");
  await resume(true);
  await until("no pod", async () => (await running()).length === 0);
});

const indexTexts = [
  ["", []],
  ["1", [1]],
  ["1,2", [1, 2]],
  ["0-2,5", [0, 1, 2, 5]],
  ["3,4,7-9", [3, 4, 7, 8, 9]],
] as const;

test("formatIndexes and parseIndexes are each other's inverse", () => {
  for (const [text, indexes] of indexTexts) {
    assert.equal(formatIndexes(new Set(indexes)), text);
    assert.deepEqual([...parseIndexes(text, 10)], [...indexes]);
  }
  assert.deepEqual([...parseIndexes("1-5,x,7", 4)], [1, 2, 3]);
});
