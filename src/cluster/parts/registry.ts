import { join } from "node:path";
import { registryPublisher } from "../access/server-roles.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { peerPort, registryPort } from "../base/registry-port.ts";
import { namespaceFile, planNamespace } from "../machine/network-namespace.ts";
import { endpointOf, ownRuntime } from "../runtimes/own-runtime.ts";
import { registriesFolder } from "../runtimes/runtime.ts";
import { tomlText } from "../runtimes/toml.ts";
import {
  argsOf,
  type Flags,
  logFlagsOf,
  type Part,
  type PartContext,
  type PartFile,
  type ServerContext,
} from "./part.ts";

const name = "registry";

/**
 * A registry on localhost in front of the images of the server's node: what is pushed there is on that node at once. The
 * other nodes pull it from there, by certificates of nodes.
 */
export const registry: Part = {
  name,
  summary: "a registry on localhost (no upstream flags)",
  load: () => import("#/registry/run.ts"),
  canBeDisabled: true,
  agent: {
    flags: agentFlags,
    files: (context) => (hasContainerd(context) ? [hostsFile(context)] : []),
    async run(args, signal) {
      const { start } = await import("#/registry/run.ts");
      await start(args, signal);
    },
  },
  server: {
    onLeader: true,
    flags: ({ paths, settings }) => ({
      ...publisher(paths),
      port: registryPort(settings),
      ...logFlagsOf(settings),
    }),
    run: publish,
    cleanUp: ({ paths }, signal, programContext) =>
      publish(argsOf({ ...publisher(paths), cleanup: true }), signal, programContext),
  },
};

const publisher = (paths: ClusterPaths): Flags => ({
  mode: "publisher",
  kubeconfig: accessFile(paths, "admin"),
});

async function publish(
  args: readonly string[],
  signal: AbortSignal,
  { connected }: ServerContext,
): Promise<void> {
  const connect = await connected(signal);
  const { start } = await import("#/registry/run.ts");
  await start(args, signal, { connect: () => connect(registryPublisher) });
}

/** The registry needs containerd's own interface; other runtimes have no such. */
const hasContainerd = ({ settings }: PartContext): boolean =>
  ownRuntime(settings)?.criName === "containerd";

function agentFlags(context: PartContext): Flags {
  const { paths, settings } = context;
  const serves = settings.role === "server" && hasContainerd(context);
  if (!serves) return { mode: "none", ...logFlagsOf(settings) };
  return {
    port: registryPort(settings),
    "users-of": settings.kubeconfigs.join(","),
    "containerd-address": endpointOf(paths, settings),
    ...(settings.networkNamespace
      ? { netns: namespaceFile(planNamespace(settings.name).machine) }
      : {}),
    "peer-bind-address": settings.nodeIp,
    "peer-port": peerPort,
    "tls-cert-file": join(paths.pki, "registry-serving.crt"),
    "tls-private-key-file": join(paths.pki, "registry-serving.key"),
    "client-ca-file": join(paths.pki, "ca.crt"),
    ...logFlagsOf(settings),
  };
}

/** A table of other hosts: containerd 1 reads no file without, and no names of tables with brackets, as IPv6 has. */
const noOthers = [["host", {}]] as const;

/** Where containerd finds the registry: here, or at the server's node. */
function hostsFile({ paths, settings }: PartContext): PartFile {
  const host = `localhost:${registryPort(settings)}`;
  const path = join(registriesFolder(paths), host, "hosts.toml");
  const isServer = settings.role === "server";
  const { hostname } = new URL(settings.server);
  const own = settings.nodeIp.includes(":") ? `[${settings.nodeIp}]` : settings.nodeIp;
  const pair = ["crt", "key"].map((end) => join(paths.pki, `kubelet.${end}`));
  const values = {
    // Not its port on localhost, which any user of the machine may have taken before the registry did.
    server: `https://${isServer ? own : hostname}:${peerPort}`,
    capabilities: ["pull", "resolve"],
    ca: join(paths.pki, "ca.crt"),
    client: isServer ? [pair] : join(paths.kubelet, "pki/kubelet-client-current.pem"),
  };
  return { path, text: tomlText(values, noOthers) };
}
