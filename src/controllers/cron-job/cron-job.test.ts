import assert from "node:assert/strict";
import { test } from "node:test";
import { type CronJob, cronJobs, jobs } from "#/api/batch/v1.ts";
import { parseCronSchedule } from "#/machinery/time/cron-schedule.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { cronJobController } from "./cron-job.ts";
import { findMissed } from "./missed-starts.ts";

const namespace = "default";
const cronJob: CronJob = {
  metadata: { name: "c", namespace },
  spec: {
    schedule: "*/1 * * * *",
    jobTemplate: {
      metadata: { labels: { a: "b" } },
      spec: {
        template: {
          metadata: {},
          spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
        },
      },
    },
  },
};

test("cronjob-controller starts a job that is due, and removes it from active when it has ended", async () => {
  await using api = await startApiServer();
  const { client } = runControllersOn(api, []);
  const ref = { name: "c", namespace };
  const made = await client.create(cronJobs, cronJob);
  const longAgo = "2020-01-01T00:00:00Z";
  await client.updateStatus(cronJobs, { ...made, status: { lastScheduleTime: longAgo } });
  await using run = runControllersOn(api, [cronJobController]);
  const { until, events } = run;
  const list = async () => (await client.list(jobs, { namespace })).items;
  await until("a job", async () => (await list()).length === 1);
  await until("its reference", async () => {
    const { status } = await client.get(cronJobs, ref);
    return status?.active?.length === 1 && status.lastScheduleTime !== longAgo;
  });
  const [job] = await list();
  assert.match(job?.metadata.name ?? "", /^c-\d+$/);
  assert.deepEqual(job?.metadata.labels, { a: "b" });
  assert.ok(job?.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]);
  assert.deepEqual(events, [
    "Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    `Normal SuccessfulCreate Created job ${job?.metadata.name}`,
  ]);
  await client.delete(
    jobs,
    { name: job?.metadata.name ?? "", namespace },
    { propagationPolicy: "Background" },
  );
  await until("no reference", async () => {
    const { status } = await client.get(cronJobs, ref);
    return status?.active === undefined;
  });
});

const missed = [
  { last: "10:00:00", now: "10:00:30", found: undefined, count: "none" },
  { last: "10:00:00", now: "10:05:30", found: "10:05:00", count: "none" },
  { last: "10:00:00", now: "10:17:00", found: "10:15:00", count: "few" },
  { last: "00:00:00", now: "23:59:00", found: "23:55:00", count: "many" },
] as const;

for (const { last, now, found, count } of missed) {
  test(`findMissed between ${last} and ${now} finds ${found ?? "nothing"}, ${count}`, () => {
    const day = "2024-01-01T";
    const job = { ...cronJob, status: { lastScheduleTime: `${day}${last}Z` } };
    const schedule = parseCronSchedule("*/5 * * * *");
    const nowMs = Date.parse(`${day}${now}Z`);
    const result = findMissed(job, schedule, nowMs, { withDeadline: true });
    const time = result.lastMs === undefined ? undefined : formatTime(result.lastMs).slice(11, 19);
    assert.deepEqual([time, result.count], [found, count]);
  });
}

test("cronjob-controller records an event for a date that does not exist, and waits for another schedule", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [cronJobController]);
  await run.client.create(cronJobs, {
    ...cronJob,
    spec: { ...cronJob.spec, schedule: "59 23 31 2 *" },
  });
  await run.until("the event", async () => run.events.length > 0);
  assert.deepEqual(run.events, [
    "Warning InvalidSchedule invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second",
  ]);
});
