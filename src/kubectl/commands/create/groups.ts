import { command } from "../../command/command.ts";
import { subcommandHelp } from "../../command/subcommand-help.ts";

/** `kubectl create secret`. */
export const createSecret = command({
  usage: "secret (docker-registry | generic | tls)",
  flags: {},
  subcommands: [
    {
      name: "docker-registry",
      summary: "Create a secret for use with a Docker registry",
      load: async () => (await import("./secrets.ts")).createDockerSecret,
    },
    {
      name: "generic",
      summary: "Create a secret from a local file, directory, or literal value",
      load: async () => (await import("./secrets.ts")).createGenericSecret,
    },
    {
      name: "tls",
      summary: "Create a TLS secret",
      load: async () => (await import("./secrets.ts")).createTlsSecret,
    },
  ],
  run: subcommandHelp("err"),
});

/** `kubectl create service`. */
export const createService = command({
  usage: "service",
  aliases: ["svc"],
  flags: {},
  showsFlagsInUsage: true,
  subcommands: [
    {
      name: "clusterip",
      summary: "Create a ClusterIP service",
      load: async () => (await import("./services.ts")).createClusterIP,
    },
    {
      name: "externalname",
      summary: "Create an ExternalName service",
      load: async () => (await import("./services.ts")).createExternalName,
    },
    {
      name: "loadbalancer",
      summary: "Create a LoadBalancer service",
      load: async () => (await import("./services.ts")).createLoadBalancer,
    },
    {
      name: "nodeport",
      summary: "Create a NodePort service",
      load: async () => (await import("./services.ts")).createNodePort,
    },
  ],
  run: subcommandHelp("err"),
});
