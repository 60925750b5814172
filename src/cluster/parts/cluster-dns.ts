import { dnsPublisher } from "../access/server-roles.ts";
import { accessFile } from "../base/paths.ts";
import { dnsAddress } from "../base/service-addresses.ts";
import { named } from "./feature.ts";
import { logFlagsOf, type Part, type ServerContext } from "./part.ts";

/** The agents respond; the server maintains the Service of the DNS (docs/decisions/0009-dns-on-every-node.md). */
export const dns: Part = {
  name: "cluster-dns",
  summary: "the cluster's DNS server (no upstream flags)",
  load: () => import("#/dns/run.ts"),
  canBeDisabled: true,
  manifest: "cluster-dns.yaml",
  feature: {
    name: "DNS",
    resources: ["services"],
    provider: (objects) =>
      named(objects, "Service", "kube-dns").find(
        ({ metadata }) => metadata.namespace === "kube-system",
      )?.spec?.clusterIP,
  },
  agent: {
    flags: ({ paths, settings, resolvConf }) => ({
      kubeconfig: accessFile(paths, "kubelet"),
      "node-name": settings.nodeName,
      "cluster-domain": settings.clusterDomain,
      "resolv-conf": resolvConf,
      ...logFlagsOf(settings),
    }),
    async run(args, signal) {
      const { startThread } = await import("#/dns/run.ts");
      await startThread(args, signal);
    },
  },
  server: {
    onLeader: true,
    flags: ({ paths, settings }) => ({
      mode: "service",
      kubeconfig: accessFile(paths, "admin"),
      "cluster-ip": dnsAddress(settings.serviceCidr),
    }),
    run: publish,
    cleanUp: (_context, signal, programContext) =>
      publish(["--mode=service", "--cleanup"], signal, programContext),
  },
};

async function publish(
  args: readonly string[],
  signal: AbortSignal,
  { connected }: ServerContext,
): Promise<void> {
  const connect = await connected(signal);
  const { start } = await import("#/dns/run.ts");
  await start(args, signal, { connect: () => connect(dnsPublisher) });
}
