import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { FlagSet, FlagValues } from "#/std/flags.ts";
import { logFlags } from "#/std/log-flags.ts";
import { kubeconfigText, writeIfChanged } from "./access-files.ts";
import { bootUnitOf, ensureBootUnit } from "./boot-unit.ts";
import { parseToken } from "./bootstrap-token.ts";
import { sayClosedFirewall } from "./closed-firewall.ts";
import { discoverAuthority } from "./cluster-info.ts";
import { CommandFailure, command, pathsOf } from "./command.ts";
import { planNamespace } from "./network-namespace.ts";
import { nodeAddress } from "./node-address.ts";
import { accessFile, type ClusterPaths, defaultClusterName } from "./paths.ts";
import { writeWhole } from "./pki.ts";
import { machineProblems, PreflightError, thisMachine } from "./preflight.ts";
import { Progress } from "./progress.ts";
import { type ClusterSettings, findSettings, saveSettings } from "./settings.ts";
import {
  defaultNodeName,
  eventually,
  nodeReady,
  prepareMachine,
  startPrograms,
  writeNodeFiles,
} from "./start-node.ts";
import { clusterFlags, nodeFlags } from "./up-flags.ts";

const joinFlags = {
  ...clusterFlags,
  ...nodeFlags,
  ...logFlags,
  token: { type: "string", help: "The `token` that k8ts token create printed." },
  "ca-hash": {
    type: "string",
    help: "The `hash` of the cluster's authority, as k8ts token create printed it.",
  },
  "pod-network-cidr": { type: "string", default: "10.244.0.0/16", help: "As the server has it." },
  "service-cidr": { type: "string", default: "10.96.0.0/12", help: "As the server has it." },
  "service-dns-domain": { type: "string", default: "cluster.local", help: "As the server has it." },
} satisfies FlagSet;

type JoinFlags = FlagValues<typeof joinFlags>;

/** `k8ts join SERVER`: makes this machine a node of a cluster that another machine serves. */
export const main = command({
  name: "join",
  description: `Makes this machine a node of a cluster that another machine serves. \`k8ts token create\`, run
there, prints the whole command line.`,
  arguments: ["SERVER"],
  examples: [
    ["Join a cluster", "join https://192.0.2.10:6443 --token TOKEN --ca-hash sha256:HASH"],
  ],
  whenInterrupted: "the node goes on joining; k8ts join waits for it again, k8ts down stops it",
  flags: joinFlags,
  async run({ values, args: [server] }) {
    const problems = machineProblems(await thisMachine());
    if (problems.length > 0) throw new PreflightError(problems);
    const paths = pathsOf(values);
    const settings = findSettings(paths) ?? newSettings(serverUrl(server), values);
    if (settings.role !== "agent") {
      throw new CommandFailure(
        `${paths.folder} has a cluster of its own; k8ts down --purge removes it`,
      );
    }
    const progress = new Progress();
    await prepareMachine(progress, settings, values["no-install"]);
    await progress.step(`trust in ${settings.server}`, () => writeFiles(paths, settings, values));
    const since = await startPrograms(paths, settings);
    const { timeout: timeoutMs } = values;
    await progress.step("the cluster's consent", () => admitted(paths, timeoutMs));
    await progress.step(`node ${settings.nodeName}`, () =>
      nodeReady(paths, settings, { since, timeoutMs }),
    );
    await ensureBootUnit(bootUnitOf(paths, settings));
    progress.say(`\nThis machine is node "${settings.nodeName}" of ${settings.server}.`);
    await sayClosedFirewall(progress, settings);
    return 0;
  },
});

function serverUrl(text: string | undefined): string {
  if (!text) throw new CommandFailure("name the server: k8ts join https://ADDRESS:6443 …");
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (url?.protocol !== "https:") throw new CommandFailure(`"${text}" is no address of a server`);
  return url.origin;
}

function newSettings(server: string, flags: JoinFlags): ClusterSettings {
  const isAlone = flags.name === defaultClusterName;
  const plan = planNamespace(flags.name);
  return {
    name: flags.name,
    role: "agent",
    nodeName: flags["node-name"] || defaultNodeName(flags.name),
    nodeIp: flags["node-ip"] || (isAlone ? nodeAddress() : plan.nodeAddress),
    server,
    podCidr: flags["pod-network-cidr"],
    serviceCidr: flags["service-cidr"],
    clusterDomain: flags["service-dns-domain"],
    proxyMode: flags["proxy-mode"],
    runtimeEndpoint: flags["container-runtime-endpoint"] || undefined,
    networkNamespace: isAlone ? undefined : plan.namespace,
    verbosity: flags.v,
    logFormat: flags["logging-format"],
  };
}

async function writeFiles(paths: ClusterPaths, settings: ClusterSettings, flags: JoinFlags) {
  const authorityFile = join(paths.pki, "ca.crt");
  await writeNodeFiles(paths, settings);
  if (existsSync(accessFile(paths, "kubelet"))) return;
  const token = parseToken(flags.token);
  if (!token) throw new CommandFailure("--token must be as `k8ts token create` printed it");
  if (!/^sha256:[0-9a-f]{64}$/.test(flags["ca-hash"])) {
    throw new CommandFailure("--ca-hash must be as `k8ts token create` printed it");
  }
  const authority = await discoverAuthority(settings.server, flags["ca-hash"]);
  await mkdir(paths.pki, { recursive: true, mode: 0o700 });
  await writeWhole(authorityFile, authority);
  const access = kubeconfigText({
    cluster: settings.name,
    server: settings.server,
    authority: authorityFile,
    user: "bootstrap",
    credentials: { token: flags.token },
  });
  await writeIfChanged(accessFile(paths, "bootstrap-kubelet"), access);
  await saveSettings(paths, settings);
}

/** The kubelet writes its kubeconfig when the cluster has signed its certificate. */
const admitted = (paths: ClusterPaths, timeoutMs: number): Promise<void> =>
  eventually(paths, "the node's certificate", "agent", timeoutMs, async () =>
    existsSync(accessFile(paths, "kubelet")),
  );
