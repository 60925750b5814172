import { type Job, jobs } from "#/api/batch/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { subjectOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { containersOf } from "../../facts/containers.ts";
import { ownedPods } from "../../facts/owned-pods.ts";

/** A container beside the work that never ends: the Pod does not complete, and neither does its Job. */
export const jobSidecar = cause<Job>({
  name: "job-container-runs-on",
  layer: "containers",
  of: [jobs],
  find(job, view) {
    for (const pod of ownedPods(job, job.spec?.selector, view)) {
      const main = containersOf(pod).filter(({ role }) => role === "container");
      const done = main.filter(({ status }) => status?.state?.terminated?.exitCode === 0);
      const running = main.filter(({ status }) => status?.state?.running);
      const [first] = done;
      if (!first || running.length === 0 || done.length + running.length < main.length) continue;
      const label = (all: typeof main): string => names(all.map(({ name }) => `"${name}"`));
      return {
        about: subjectOf(pods, pod),
        sentence: `container ${label(done)} has done its work, but container ${label(running)} runs on, and the Job is complete only when all containers of its Pod have ended`,
        since: first.status?.state?.terminated?.finishedAt,
        fix: [
          `# make ${label(running)} a sidecar: an init container with restartPolicy: Always, which is ended with the work`,
        ],
      };
    }
    return undefined;
  },
});
