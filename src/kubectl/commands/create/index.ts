import type { CommandEntry } from "../../command/command.ts";

/** The subcommands of `kubectl create`, in upstream's order. */
export const createCommands: readonly CommandEntry[] = [
  {
    name: "namespace",
    aliases: ["ns"],
    summary: "Create a namespace with the specified name",
    load: async () => (await import("./simple.ts")).createNamespace,
  },
  {
    name: "quota",
    aliases: ["resourcequota"],
    summary: "Create a quota with the specified name",
    load: async () => (await import("./simple.ts")).createQuota,
  },
  {
    name: "secret",
    summary: "Create a secret using a specified subcommand",
    load: async () => (await import("./groups.ts")).createSecret,
  },
  {
    name: "configmap",
    aliases: ["cm"],
    summary: "Create a config map from a local file, directory or literal value",
    load: async () => (await import("./config-map.ts")).createConfigMap,
  },
  {
    name: "serviceaccount",
    aliases: ["sa"],
    summary: "Create a service account with the specified name",
    load: async () => (await import("./simple.ts")).createServiceAccount,
  },
  {
    name: "service",
    aliases: ["svc"],
    summary: "Create a service using a specified subcommand",
    load: async () => (await import("./groups.ts")).createService,
  },
  {
    name: "deployment",
    aliases: ["deploy"],
    summary: "Create a deployment with the specified name",
    load: async () => (await import("./workloads.ts")).createDeployment,
  },
  {
    name: "clusterrole",
    summary: "Create a cluster role",
    load: async () => (await import("./roles.ts")).createClusterRole,
  },
  {
    name: "clusterrolebinding",
    summary: "Create a cluster role binding for a particular cluster role",
    load: async () => (await import("./roles.ts")).createClusterRoleBinding,
  },
  {
    name: "role",
    summary: "Create a role with single rule",
    load: async () => (await import("./roles.ts")).createRole,
  },
  {
    name: "rolebinding",
    summary: "Create a role binding for a particular role or cluster role",
    load: async () => (await import("./roles.ts")).createRoleBinding,
  },
  {
    name: "poddisruptionbudget",
    aliases: ["pdb"],
    summary: "Create a pod disruption budget with the specified name",
    load: async () => (await import("./simple.ts")).createPodDisruptionBudget,
  },
  {
    name: "priorityclass",
    aliases: ["pc"],
    summary: "Create a priority class with the specified name",
    load: async () => (await import("./simple.ts")).createPriorityClass,
  },
  {
    name: "job",
    summary: "Create a job with the specified name",
    load: async () => (await import("./workloads.ts")).createJob,
  },
  {
    name: "cronjob",
    aliases: ["cj"],
    summary: "Create a cron job with the specified name",
    load: async () => (await import("./workloads.ts")).createCronJob,
  },
  {
    name: "ingress",
    aliases: ["ing"],
    summary: "Create an ingress with the specified name",
    load: async () => (await import("./ingress.ts")).createIngress,
  },
  {
    name: "token",
    summary: "Request a service account token",
    load: async () => (await import("./token.ts")).createToken,
  },
];
