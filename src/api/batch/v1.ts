import type { Resource } from "../base/resource.ts";
import type { CronJob, Job } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const cronJobs: Resource<CronJob> = {
  group: "batch",
  version: "v1",
  kind: "CronJob",
  name: "cronjobs",
  singular: "cronjob",
  namespaced: true,
  shortNames: ["cj"],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "batch",
      version: "v1",
      kind: "CronJob",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const jobs: Resource<Job> = {
  group: "batch",
  version: "v1",
  kind: "Job",
  name: "jobs",
  singular: "job",
  namespaced: true,
  shortNames: [],
  categories: ["all"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "batch",
      version: "v1",
      kind: "Job",
      verbs: ["get", "patch", "update"],
    },
  ],
};
