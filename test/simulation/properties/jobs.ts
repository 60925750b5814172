import type { CronJob, Job } from "#/api/batch/v1.ts";
import type { Pod } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { controllerOf, isActive, isTerminating, nameOf, podsOf } from "../pods.ts";
import type { World } from "../world.ts";
import type { Property } from "./property.ts";

const completionIndex = "batch.kubernetes.io/job-completion-index";

/** Jobs never run more Pods at once than allowed, nor complete more often than required, nor an index twice at once. */
export function jobLimits(): Property {
  const succeeded = new Map<string, Set<string>>();
  return {
    name: "a Job keeps to its parallelism and completions",
    check({ resource, now }, world) {
      if (resource === "jobs" && now) noteParallelism(now as Job, world);
      if (resource !== "pods" || !now) return undefined;
      const pod = now as Pod;
      const job = world.findUid(controllerOf(pod)) as Job | undefined;
      if (job?.kind !== "Job") return undefined;
      // A Pod that was being deleted before it succeeded counts as failed from then on, and is replaced.
      if (pod.status?.phase === "Succeeded" && !isTerminating(pod)) {
        const done = succeeded.get(job.metadata.uid ?? "") ?? new Set();
        succeeded.set(job.metadata.uid ?? "", done.add(pod.metadata.uid ?? ""));
      }
      return checkJob(job, succeeded.get(job.metadata.uid ?? "")?.size ?? 0, world);
    },
  };
}

const parallelismOf = (uid: string | undefined): string => `parallelism ${uid}`;

function noteParallelism({ metadata, spec }: Job, world: World): void {
  world.note(parallelismOf(metadata.uid), spec?.suspend ? 0 : (spec?.parallelism ?? 1));
}

function checkJob(job: Job, done: number, world: World): string | undefined {
  const active = podsOf(world, job.metadata.uid ?? "").filter(isActive);
  const limit = world.recentMax(parallelismOf(job.metadata.uid));
  if (active.length > limit) {
    return `${nameOf(job)}: ${active.length} active Pods, parallelism is ${limit}`;
  }
  const { completions } = job.spec ?? {};
  if (completions !== undefined && done > completions) {
    return `${nameOf(job)}: ${done} Pods succeeded, completions is ${completions}`;
  }
  const indexes = active.flatMap(({ metadata }) => metadata.annotations?.[completionIndex] ?? []);
  const twice = indexes.find((index, at) => indexes.indexOf(index) !== at);
  return twice === undefined ? undefined : `${nameOf(job)}: two active Pods of index ${twice}`;
}

/** A CronJob with the policy Forbid never has two running Jobs. */
export const cronJobsForbid: Property = {
  name: "a CronJob with concurrencyPolicy Forbid runs one Job at a time",
  check({ resource, now, old }, world) {
    if (resource !== "jobs" || !now || old) return undefined;
    const owner = world.findUid(controllerOf(now)) as CronJob | undefined;
    if (owner?.kind !== "CronJob" || owner.spec?.concurrencyPolicy !== "Forbid") return undefined;
    const running = world
      .list<Job>("jobs")
      .filter((job) => controllerOf(job) === owner.metadata.uid && !isFinished(job));
    if (running.length < 2) return undefined;
    return `${nameOf(owner)} runs ${running.map(nameOf).join(" and ")}`;
  },
};

export const isFinished = ({ status }: Job): boolean =>
  hasCondition(status?.conditions, "Complete") || hasCondition(status?.conditions, "Failed");
