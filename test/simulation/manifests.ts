import type { DaemonSet, Deployment, StatefulSet } from "#/api/apps/v1.ts";
import type { CronJob, Job } from "#/api/batch/v1.ts";
import type { PodTemplateSpec, ResourceQuota } from "#/api/core/v1.ts";
import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import type { Dice } from "./dice.ts";
import { runLabel } from "./pod-run.ts";

/** The manifests of the simulated user. Numbers are random; all Pods are small enough for the nodes together. */

interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** A Pod template; a rollout changes its version. */
export function templateOf(app: string, version: number, cpu = "100m"): PodTemplateSpec {
  return {
    metadata: { labels: { app } },
    spec: {
      terminationGracePeriodSeconds: 10,
      containers: [
        {
          name: "main",
          image: `main:${version}`,
          resources: { requests: { cpu } },
        },
      ],
    },
  };
}

export function deploymentOf(dice: Dice, { namespace, name }: Place): Deployment {
  const isRecreated = dice.chance(0.2);
  const maxSurge = dice.between(0, 2);
  const rollingUpdate = { maxSurge, maxUnavailable: maxSurge === 0 ? 1 : dice.between(0, 2) };
  return {
    metadata: { namespace, name },
    spec: {
      replicas: dice.between(1, 6),
      selector: { matchLabels: { app: name } },
      template: templateOf(name, 1),
      revisionHistoryLimit: dice.between(0, 3),
      strategy: isRecreated ? { type: "Recreate" } : { type: "RollingUpdate", rollingUpdate },
    },
  };
}

export function statefulSetOf(dice: Dice, { namespace, name }: Place): StatefulSet {
  return {
    metadata: { namespace, name },
    spec: {
      replicas: dice.between(1, 4),
      serviceName: name,
      podManagementPolicy: dice.pick(["OrderedReady", "Parallel"]),
      selector: { matchLabels: { app: name } },
      template: templateOf(name, 1),
    },
  };
}

export function daemonSetOf(dice: Dice, { namespace, name }: Place): DaemonSet {
  const rollingUpdate = dice.chance(0.3)
    ? { maxSurge: 1, maxUnavailable: 0 }
    : { maxUnavailable: dice.between(1, 2) };
  return {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: templateOf(name, 1, "50m"),
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
    },
  };
}

export function jobOf(dice: Dice, { namespace, name }: Place): Job {
  const completions = dice.between(1, 6);
  const run = `${dice.chance(0.2) ? "fail" : "work"}-${dice.between(1, 20)}`;
  const template = templateOf(name, 1);
  return {
    metadata: { namespace, name },
    spec: {
      completions,
      parallelism: dice.between(1, 3),
      backoffLimit: dice.between(0, 4),
      completionMode: dice.pick(["NonIndexed", "Indexed"]),
      template: {
        metadata: { labels: { app: name, [runLabel]: run } },
        spec: {
          ...template.spec,
          restartPolicy: "Never",
          containers: template.spec?.containers ?? [],
        },
      },
    },
  };
}

export function cronJobOf(dice: Dice, { namespace, name }: Place): CronJob {
  const { spec } = jobOf(dice, { namespace, name });
  return {
    metadata: { namespace, name },
    spec: {
      schedule: "* * * * *",
      concurrencyPolicy: dice.pick(["Allow", "Forbid", "Replace"]),
      successfulJobsHistoryLimit: dice.between(0, 2),
      failedJobsHistoryLimit: dice.between(0, 1),
      jobTemplate: { metadata: {}, spec: { ...spec, template: spec?.template ?? {} } },
    },
  };
}

export function budgetOf(dice: Dice, { namespace, name }: Place): PodDisruptionBudget {
  return {
    metadata: { namespace, name },
    spec: { minAvailable: dice.between(1, 3), selector: { matchLabels: { app: name } } },
  };
}

export function quotaOf(dice: Dice, namespace: string): ResourceQuota {
  return {
    metadata: { namespace, name: "quota" },
    spec: { hard: { pods: String(dice.between(3, 12)) } },
  };
}
