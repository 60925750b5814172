/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/clusterinfo/clusterinfo.go. */
import { type Service, services } from "#/api/core/v1.ts";
import { command } from "../../command/command.ts";

/** `kubectl cluster-info`. */
export const clusterInfo = command({
  usage: "cluster-info",
  flags: {},
  showsFlagsInUsage: true,
  subcommands: [
    {
      name: "dump",
      summary: "Dump relevant information for debugging and diagnosis",
      load: async () => (await import("./dump.ts")).dump,
    },
  ],
  async run(_, context) {
    const { cluster } = await context.cluster.selected();
    const client = await context.cluster.client();
    const server = cluster.server ?? "";
    const advice =
      "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n";
    try {
      const mapper = await context.cluster.mapper();
      // Resolved like any resource type of a command line: it might be a category.
      await mapper.expandCategory("services");
      await mapper.mappingFor("services");
      const found = await client.listAll(services, {
        namespace: context.global.namespace || "kube-system",
        labelSelector: "kubernetes.io/cluster-service=true",
      });
      context.out.write(`Kubernetes control plane is running at ${server}\n`);
      for (const service of found) {
        const name = service.metadata?.labels?.["kubernetes.io/name"] || service.metadata?.name;
        context.out.write(`${name} is running at ${linkOf(service, server)}\n`);
      }
    } finally {
      context.out.write(advice);
    }
  },
});

function linkOf({ metadata, spec, status }: Service, server: string): string {
  const ports = spec?.ports ?? [];
  const [ingress] = status?.loadBalancer?.ingress ?? [];
  if (ingress) {
    const host = ingress.ip || ingress.hostname;
    return ports.map(({ port }) => `http://${host}:${port} `).join("");
  }
  const { name, namespace } = metadata ?? {};
  const [port] = ports;
  const scheme = port?.name === "https" || port?.port === 443 ? "https" : "";
  const portName = port?.name ?? "";
  const shown =
    scheme !== ""
      ? `${scheme}:${name}:${portName}`
      : portName !== ""
        ? `${name}:${portName}`
        : name;
  return `${server}/api/v1/namespaces/${namespace}/services/${shown}/proxy`;
}
