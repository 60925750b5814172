import { readFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "#/std/clock.ts";
import { writeAccessFiles } from "./access-files.ts";
import { bootUnitOf, ensureBootUnit } from "./boot-unit.ts";
import { accessOfServer, certificateWishes } from "./certificates.ts";
import { sayClosedFirewall } from "./closed-firewall.ts";
import { clusterInfo } from "./cluster-info.ts";
import { CommandFailure, command, pathsOf } from "./command.ts";
import { kubectl, mustKubectl } from "./kubectl.ts";
import { planNamespace } from "./network-namespace.ts";
import { nodeAddress } from "./node-address.ts";
import { type ClusterPaths, defaultClusterName } from "./paths.ts";
import { ensurePki } from "./pki.ts";
import { machineProblems, PreflightError, portProblem, thisMachine } from "./preflight.ts";
import { findProcess } from "./processes.ts";
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
import { readStatus } from "./status/read-status.ts";
import { renderFacts } from "./status/render-status.ts";
import { type UpFlags, upFlags } from "./up-flags.ts";
import { writeUserAccess } from "./user-access.ts";

const manifests = fileURLToPath(new URL("manifests", import.meta.url));
const kubeletPort = 10250;

/** `k8ts up`: starts the cluster of this machine, made first if there is none. */
export const main = command({
  name: "up",
  description: `Starts a cluster on this machine, and makes it first if there is none: installs the packages
that are missing, starts the programs in the background, and adds a context to your kubeconfig.
On a running cluster it starts what has stopped.`,
  examples: [
    ["Start the cluster of this machine", "up"],
    ["Start a second one beside it, with a network of its own", "up --name test"],
    ["Never install packages", "up --no-install"],
  ],
  whenInterrupted: "the cluster goes on starting; k8ts up waits for it again, k8ts down stops it",
  flags: upFlags,
  async run({ values, changed }) {
    const paths = pathsOf(values);
    const progress = new Progress();
    await checkMachine();
    const found = findSettings(paths);
    const settings = found ? keep(found, values, changed) : await newSettings(values);
    await prepareMachine(progress, settings, values["no-install"]);
    const isServer = settings.role === "server";
    if (isServer) await checkPorts(paths, settings);
    await progress.step(isServer ? "certificates and configuration" : "configuration", () =>
      isServer ? writeFiles(paths, settings) : writeNodeFiles(paths, settings),
    );
    const since = await startPrograms(paths, settings);
    const { timeout: timeoutMs } = values;
    if (isServer) {
      await progress.step("API server", () => apiReady(paths, timeoutMs));
      await progress.step("access and add-ons", () => setUpApi(paths, settings));
    }
    await progress.step(`node ${settings.nodeName}`, () =>
      nodeReady(paths, settings, { since, timeoutMs }),
    );
    const startsAtBoot = await ensureBootUnit(bootUnitOf(paths, settings));
    await showFacts(progress, paths, settings);
    await sayClosedFirewall(progress, settings);
    if (!startsAtBoot) {
      const option = settings.name === defaultClusterName ? "" : ` --name ${settings.name}`;
      progress.say(`  after a restart of the machine: k8ts up${option}`);
    }
    return 0;
  },
});

async function checkMachine(): Promise<void> {
  const problems = machineProblems(await thisMachine());
  if (problems.length > 0) throw new PreflightError(problems);
}

async function newSettings(flags: UpFlags): Promise<ClusterSettings> {
  const isAlone = flags.name === defaultClusterName;
  const plan = planNamespace(flags.name);
  const nodeIp = flags["node-ip"] || (isAlone ? nodeAddress() : plan.nodeAddress);
  return {
    name: flags.name,
    role: "server",
    nodeName: flags["node-name"] || defaultNodeName(flags.name),
    nodeIp,
    server: `https://${nodeIp}:${flags["secure-port"]}`,
    podCidr: flags["pod-network-cidr"],
    serviceCidr: flags["service-cidr"],
    clusterDomain: flags["service-dns-domain"],
    proxyMode: flags["proxy-mode"],
    runtimeEndpoint: flags["container-runtime-endpoint"] || undefined,
    kubeconfig: flags.kubeconfig || join(homedir(), ".kube/config"),
    networkNamespace: isAlone ? undefined : plan.namespace,
    verbosity: flags.v,
    logFormat: flags["logging-format"],
  };
}

/** What a cluster was made with stays; only how it logs, and who gets its context, may change. */
function keep(
  found: ClusterSettings,
  flags: UpFlags,
  changed: ReadonlySet<string>,
): ClusterSettings {
  const fixed = {
    "pod-network-cidr": found.podCidr,
    "service-cidr": found.serviceCidr,
    "service-dns-domain": found.clusterDomain,
    "node-name": found.nodeName,
    "node-ip": found.nodeIp,
    "secure-port": Number(new URL(found.server).port),
  };
  for (const [name, value] of Object.entries(fixed)) {
    const wanted = flags[name as keyof typeof fixed];
    if (changed.has(name) && wanted !== value) {
      throw new CommandFailure(
        `the cluster was made with --${name}=${value}; to change it: k8ts down --purge, then k8ts up`,
      );
    }
  }
  return {
    ...found,
    proxyMode: changed.has("proxy-mode") ? flags["proxy-mode"] : found.proxyMode,
    kubeconfig: flags.kubeconfig || found.kubeconfig,
    verbosity: changed.has("v") ? flags.v : found.verbosity,
    logFormat: changed.has("logging-format") ? flags["logging-format"] : found.logFormat,
  };
}

/** The ports of what isn't running yet must be free. A cluster with a network of its own has them to itself. */
async function checkPorts(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  if (settings.networkNamespace) return;
  const ports = [
    { program: "server", port: Number(new URL(settings.server).port), purpose: "API server" },
    { program: "agent", port: kubeletPort, purpose: "kubelet" },
  ].filter(({ program }) => findProcess(paths, program) === undefined);
  const problems = await Promise.all(ports.map(({ port, purpose }) => portProblem(port, purpose)));
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new PreflightError(found);
}

async function writeFiles(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await ensurePki(paths.pki, certificateWishes(settings, hostname()), systemClock.now());
  await writeNodeFiles(paths, settings);
  await writeAccessFiles(paths, settings.name, settings.server, accessOfServer);
  await saveSettings(paths, settings);
}

async function apiReady(paths: ClusterPaths, timeoutMs: number): Promise<void> {
  await eventually(paths, "the API server", "server", timeoutMs, async () => {
    const { code } = await kubectl(paths, ["get", "--raw", "/readyz"]);
    return code === 0;
  });
}

/** Applies the add-ons, and puts the cluster into the user's kubeconfig. */
async function setUpApi(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const apply = ["apply", "--server-side", "--force-conflicts", "-f"];
  await mustKubectl(paths, [...apply, manifests]);
  const authority = await readFile(join(paths.pki, "ca.crt"), "utf8");
  const info = JSON.stringify(clusterInfo(settings.server, authority));
  await mustKubectl(paths, [...apply, "-"], { input: info });
  await writeUserAccess(paths, settings);
  if (settings.kubeconfig) {
    const file = `--kubeconfig=${settings.kubeconfig}`;
    await mustKubectl(paths, ["config", file, "use-context", settings.name]);
  }
}

/** Ends with a short screen of facts. */
async function showFacts(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const { role, server, kubeconfig = "", nodeName } = settings;
  if (role === "agent") progress.say(`\nThis machine is node "${nodeName}" of ${server}.`);
  else {
    const status = await readStatus(paths, settings);
    progress.say(`\n${renderFacts(status, { kubeconfig, took: progress.seconds })}`.trimEnd());
  }
}
