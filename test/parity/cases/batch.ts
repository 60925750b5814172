import type { Area, Case } from "../case.ts";
import { createEach } from "./create-each.ts";
import { apply, create, merge, read, strategic } from "./steps.ts";
import { afterCreate, remove, table } from "./workload-steps.ts";

const jobs = "/apis/batch/v1/namespaces/{ns}/jobs";
const cronJobs = "/apis/batch/v1/namespaces/{ns}/cronjobs";

const podSpec = { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] };
const template = { spec: podSpec };
const job = (parts: object, metadata: object = {}): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "x", ...metadata },
  spec: { template, ...parts },
});
const cronJob = (parts: object, metadata: object = {}): object => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "x", ...metadata },
  spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template } }, ...parts },
});
const indexed = (parts: object): object => job({ completionMode: "Indexed", ...parts });
const rule = (parts: object): object => job({ podFailurePolicy: { rules: [parts] } });
const status = (parts: object) => merge(`${jobs}/x/status`, { status: parts });
const condition = (type: string, value = "True"): object => ({
  type,
  status: value,
  lastTransitionTime: "2001-01-01T00:00:00Z",
  lastProbeTime: "2001-01-01T00:00:00Z",
});
const started = { startTime: "2001-01-01T00:00:00Z" };
const ended = { ...started, completionTime: "2001-01-01T00:01:00Z" };

const created: Case[] = createEach(jobs, {
  "job defaults": job({}),
  "job with labels in the template": job({
    template: { ...template, metadata: { labels: { a: "b" } } },
  }),
  "job with labels": job({}, { labels: { c: "d" } }),
  "job with both labels": job(
    { template: { ...template, metadata: { labels: { a: "b" } } } },
    { labels: { c: "d" } },
  ),
  "job without spec": { apiVersion: "batch/v1", kind: "Job", metadata: { name: "x" } },
  "job restart policy": job({ template: { spec: { ...podSpec, restartPolicy: "Always" } } }),
  "job odd restart policy": job({ template: { spec: { ...podSpec, restartPolicy: "Odd" } } }),
  "job negative numbers": job({
    parallelism: -1,
    completions: -1,
    activeDeadlineSeconds: -1,
    backoffLimit: -1,
    ttlSecondsAfterFinished: -1,
    backoffLimitPerIndex: -1,
    maxFailedIndexes: -1,
  }),
  "job manual selector": job({ manualSelector: true, selector: { matchLabels: { a: "b" } } }),
  "job manual without selector": job({ manualSelector: true }),
  "job manual and matching": job({
    manualSelector: true,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: podSpec },
  }),
  "job own labels": job({
    template: { metadata: { labels: { "controller-uid": "1", "job-name": "y" } }, spec: podSpec },
  }),
  "job own selector": job({ selector: { matchLabels: { a: "b" } } }),
  "job own selector of its uid": job({
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "1" } },
  }),
  "job unknown completion mode": job({ completionMode: "Odd" }),
  "job indexed without completions": indexed({ parallelism: 2 }),
  "job indexed": indexed({ completions: 3, parallelism: 2, backoffLimitPerIndex: 1 }),
  "job indexed too parallel": indexed({ completions: 200000, parallelism: 150000 }),
  "job indexed big": indexed({ completions: 200000, parallelism: 20000 }),
  "job indexed many": indexed({
    completions: 200000,
    parallelism: 20000,
    backoffLimitPerIndex: 1,
  }),
  "job indexed many failures": indexed({
    completions: 150000,
    parallelism: 1,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 120000,
  }),
  "job indexed more failures than indexes": indexed({
    completions: 2,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 3,
  }),
  "job failures without limit": indexed({ completions: 2, maxFailedIndexes: 1 }),
  "job not indexed with limits": job({ backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
  "job indexed with a long name": {
    ...indexed({ completions: 1000 }),
    metadata: { name: "x".repeat(60) },
  },
  "job name with dots": job({}, { name: "a.b" }),
  "job managed by": job({ managedBy: "example.com/me" }),
  "job managed by nobody": job({ managedBy: "me" }),
  "job managed by a long name": job({ managedBy: `example.com/${"x".repeat(60)}` }),
  "job success policy not indexed": job({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
  "job success policy empty": indexed({ completions: 2, successPolicy: { rules: [] } }),
  "job success policy": indexed({
    completions: 5,
    successPolicy: { rules: [{ succeededIndexes: "0,2-4", succeededCount: 3 }] },
  }),
  "job success policy wrong": indexed({
    completions: 5,
    successPolicy: {
      rules: [
        {},
        { succeededCount: -1 },
        { succeededCount: 6 },
        { succeededIndexes: "1,1" },
        { succeededIndexes: "1-2-3" },
        { succeededIndexes: "3-2" },
        { succeededIndexes: "a" },
        { succeededIndexes: "1-b" },
        { succeededIndexes: "5" },
        { succeededIndexes: "1-7" },
        { succeededIndexes: "0-1", succeededCount: 3 },
        { succeededIndexes: "" },
      ],
    },
  }),
  "job failure policy": rule({
    action: "FailJob",
    onExitCodes: { containerName: "a", operator: "In", values: [1, 2] },
  }),
  "job failure policy by condition": rule({
    action: "Ignore",
    onPodConditions: [{ type: "DisruptionTarget" }],
  }),
  "job failure policy without action": rule({
    onPodConditions: [{ type: "a b", status: "Maybe" }],
  }),
  "job failure policy of both": rule({
    action: "Odd",
    onExitCodes: { operator: "Odd", values: [] },
    onPodConditions: [{ type: "X" }],
  }),
  "job failure policy of neither": rule({ action: "FailIndex" }),
  "job failure policy codes": rule({
    action: "Count",
    onExitCodes: { containerName: "z", operator: "In", values: [3, 0, 2, 2] },
  }),
  "job failure policy without values": rule({ action: "Count", onExitCodes: { operator: "" } }),
  "job failure policy restarts": job({
    podFailurePolicy: {
      rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }],
    },
    template: { spec: { ...podSpec, restartPolicy: "OnFailure" } },
  }),
  "job failure policy too many rules": job({
    podFailurePolicy: {
      rules: Array.from({ length: 21 }, () => ({
        action: "Ignore",
        onPodConditions: [{ type: "DisruptionTarget" }],
      })),
    },
  }),
  "job replacement policy": job({ podReplacementPolicy: "Odd" }),
  "job replacement with failure policy": job({
    podReplacementPolicy: "TerminatingOrFailed",
    podFailurePolicy: {
      rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }],
    },
  }),
  "job scheduling is off": job({ scheduling: { disruptionMode: {} } }),
  "job warnings": job({
    template: { spec: { ...podSpec, nodeSelector: { "beta.kubernetes.io/arch": "amd64" } } },
  }),
});

const updated: Case[] = [
  ...afterCreate(jobs, job({}), {
    "job update": [
      merge(`${jobs}/x`, { spec: { parallelism: 3, activeDeadlineSeconds: 9 } }),
      merge(`${jobs}/x`, { metadata: { labels: null } }),
    ],
    "job update of what is fixed": [
      merge(`${jobs}/x`, {
        spec: {
          completions: 2,
          completionMode: "Indexed",
          selector: { matchLabels: { a: "b" } },
          managedBy: "example.com/x",
        },
      }),
    ],
    "job update completions": [merge(`${jobs}/x`, { spec: { completions: 2 } })],
    "job update policies": [
      merge(`${jobs}/x`, {
        spec: {
          podReplacementPolicy: "Failed",
          podFailurePolicy: {
            rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }],
          },
        },
      }),
    ],
    "job delete": [remove(`${jobs}/x`), read(`${jobs}/x`)],
    "job delete in the background": [remove(`${jobs}/x?propagationPolicy=Background`)],
    "job field selectors": [
      merge(`${jobs}/x/status`, { status: { succeeded: 1 } }),
      table(`${jobs}?fieldSelector=status.successful%3D1`),
      table(`${jobs}?fieldSelector=status.successful%3D0`),
      read(`${jobs}?fieldSelector=status.failed%3D0`),
    ],
    "job status": [
      merge(`${jobs}/x/status`, {
        metadata: { annotations: { a: "b" } },
        spec: { parallelism: 7 },
        status: { ...started, active: 1, ready: 1 },
      }),
      status({ active: 0, ready: 0, succeeded: 1, conditions: [condition("SuccessCriteriaMet")] }),
      status({ ...ended, conditions: [condition("SuccessCriteriaMet"), condition("Complete")] }),
      table(jobs),
      status({ conditions: [] }),
      status({ completionTime: "2001-01-01T00:02:00Z" }),
      status({ startTime: null }),
    ],
    "job status negative": [
      status({ active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 }),
    ],
    "job status counts down": [
      status({ succeeded: 2, failed: 2 }),
      status({ succeeded: 1, failed: 1 }),
    ],
    "job status uncounted": [
      status({ uncountedTerminatedPods: { succeeded: ["a", "", "a"], failed: ["a", "b"] } }),
    ],
    "job status complete at once": [
      status({ conditions: [condition("Complete")], active: 1, terminating: 1 }),
    ],
    "job status complete and failed": [
      status({
        ...ended,
        conditions: [
          condition("Complete"),
          condition("Failed"),
          condition("FailureTarget"),
          condition("SuccessCriteriaMet"),
        ],
      }),
    ],
    "job status failed": [
      status({ ...started, conditions: [condition("Failed")] }),
      status({ ...started, conditions: [condition("FailureTarget")] }),
      status({ ...started, conditions: [condition("FailureTarget"), condition("Failed")] }),
      table(jobs),
      status({ conditions: [condition("FailureTarget", "False")] }),
    ],
    "job status ended before it began": [
      status({
        startTime: "2001-01-01T00:02:00Z",
        completionTime: "2001-01-01T00:01:00Z",
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
      }),
    ],
    "job status completion time alone": [status({ completionTime: "2001-01-01T00:01:00Z" })],
    "job status uncounted when done": [
      status({
        ...ended,
        uncountedTerminatedPods: { succeeded: ["a"] },
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
      }),
    ],
    "job status more ready than active": [status({ active: 1, ready: 2 })],
    "job status indexes": [status({ completedIndexes: "0", failedIndexes: "0" })],
    "job suspended in a table": [
      merge(`${jobs}/x`, { spec: { suspend: true } }),
      status({ conditions: [condition("Suspended")] }),
      table(jobs),
    ],
  }),
  ...afterCreate(jobs, indexed({ completions: 4, parallelism: 4, backoffLimitPerIndex: 1 }), {
    "job elastic": [
      merge(`${jobs}/x`, { spec: { completions: 2, parallelism: 2 } }),
      merge(`${jobs}/x`, { spec: { completions: 5 } }),
      merge(`${jobs}/x`, { spec: { completions: null } }),
    ],
    "job status of indexes": [
      status({ completedIndexes: "0-1", failedIndexes: "2" }),
      status({ completedIndexes: "0-2", failedIndexes: "2" }),
      status({ completedIndexes: "2-1", failedIndexes: "9" }),
    ],
    "job status succeeded less": [status({ succeeded: 3 }), status({ succeeded: 2 })],
  }),
  ...afterCreate(jobs, job({ suspend: true }), {
    "job suspended update": [
      strategic(`${jobs}/x`, {
        spec: {
          template: {
            metadata: { labels: { a: "b" }, annotations: { c: "d" } },
            spec: {
              nodeSelector: { e: "f" },
              tolerations: [{ operator: "Exists" }],
              affinity: {
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [{ matchExpressions: [{ key: "k", operator: "Exists" }] }],
                  },
                },
              },
              containers: [{ name: "a", resources: { limits: { cpu: "1" } } }],
            },
          },
        },
      }),
      merge(`${jobs}/x`, { spec: { template: { spec: { affinity: null } } } }),
    ],
    "job suspended and started": [
      status(started),
      merge(`${jobs}/x`, { spec: { template: { spec: { nodeSelector: { e: "f" } } } } }),
      status({ conditions: [condition("Suspended")] }),
      merge(`${jobs}/x`, { spec: { template: { spec: { nodeSelector: { e: "f" } } } } }),
    ],
  }),
  {
    name: "job apply",
    steps: [apply(`${jobs}/x`, job({}), { manager: "a" })],
  },
  {
    name: "job table without completions",
    steps: [create(jobs, job({ parallelism: 3 })), table(jobs)],
  },
];

const cronJobCases: Case[] = [
  ...createEach(cronJobs, {
    "cron job defaults": cronJob({}),
    "cron job without spec": { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "x" } },
    "cron job without schedule": cronJob({ schedule: undefined, timeZone: "x" }),
    "cron job four fields": cronJob({ schedule: "* * * *" }),
    "cron job unknown name": cronJob({ schedule: "@never" }),
    "cron job daily": cronJob({ schedule: "@daily", timeZone: "Europe/Berlin" }),
    "cron job every": cronJob({ schedule: "@every 1x" }),
    "cron job ranges": cronJob({ schedule: "5-1 * * * *" }),
    "cron job step": cronJob({ schedule: "*/0 * * * *" }),
    "cron job month": cronJob({ schedule: "* * * 13 *" }),
    "cron job zone in schedule": cronJob({ schedule: "TZ=UTC * * * * *" }),
    "cron job bad zone in schedule": cronJob({ schedule: "CRON_TZ=Foo/Bar * * * * *" }),
    "cron job zone only": cronJob({ schedule: "TZ=UTC" }),
    "cron job empty zone": cronJob({ timeZone: "" }),
    "cron job local zone": cronJob({ timeZone: "local" }),
    "cron job unknown zone": cronJob({ timeZone: "Foo/Bar" }),
    "cron job odd zone": cronJob({ timeZone: "../UTC" }),
    "cron job negative numbers": cronJob({
      startingDeadlineSeconds: -1,
      successfulJobsHistoryLimit: -1,
      failedJobsHistoryLimit: -1,
    }),
    "cron job concurrency": cronJob({ concurrencyPolicy: "Odd" }),
    "cron job selector": cronJob({
      jobTemplate: {
        spec: { template, selector: { matchLabels: { a: "b" } }, manualSelector: true },
      },
    }),
    "cron job bad job": cronJob({
      jobTemplate: {
        spec: {
          parallelism: -1,
          completionMode: "Indexed",
          template: { spec: { containers: [{ name: "a" }] } },
        },
      },
    }),
    "cron job long name": { ...cronJob({}), metadata: { name: "x".repeat(53) } },
    "cron job name with dots": cronJob({}, { name: "a.b" }),
  }),
  ...afterCreate(cronJobs, cronJob({}), {
    "cron job update": [
      merge(`${cronJobs}/x`, { spec: { suspend: true, schedule: "1 * * * *" } }),
      merge(`${cronJobs}/x`, { spec: { schedule: "" } }),
      merge(`${cronJobs}/x`, { spec: { timeZone: "Foo/Bar" } }),
      merge(`${cronJobs}/x`, { spec: { schedule: "TZ=UTC * * * * *" } }),
    ],
    "cron job status": [
      merge(`${cronJobs}/x/status`, {
        spec: { suspend: true },
        status: {
          lastScheduleTime: "2001-01-01T00:00:00Z",
          active: [{ kind: "Job", name: "y", namespace: "{ns}" }],
        },
      }),
    ],
    "cron job table": [table(cronJobs)],
    "cron job delete": [remove(`${cronJobs}/x`)],
    "cron job field selector": [read(`${cronJobs}?fieldSelector=spec.suspend%3Dtrue`)],
  }),
];

/** Jobs and cron jobs. */
export const batch: Area = {
  name: "batch",
  cases: [...created, ...updated, ...cronJobCases],
};
