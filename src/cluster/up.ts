import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "#/std/clock.ts";
import { writeAccessFiles, writeIfChanged } from "./access-files.ts";
import { accessOfServer, certificateWishes } from "./certificates.ts";
import { clusterInfo } from "./cluster-info.ts";
import { CommandFailure, command, pathsOf } from "./command.ts";
import { kubeletConfigFile } from "./component-flags.ts";
import { ensurePauseImage, prepareContainerd } from "./containerd.ts";
import { kubectl, mustKubectl } from "./kubectl.ts";
import { cgroupName, kubeletConfig } from "./kubelet-config.ts";
import { ensureNamespace, planNamespace } from "./network-namespace.ts";
import { nodeAddress } from "./node-address.ts";
import { ensureCgroup } from "./node-cgroup.ts";
import { findCniPlugins, installPackages, missingPackages } from "./packages.ts";
import { accessFile, type ClusterPaths, defaultClusterName } from "./paths.ts";
import { ensurePki } from "./pki.ts";
import { machineProblems, PreflightError, portProblem, thisMachine } from "./preflight.ts";
import { findProcess, setStopping, supervise } from "./processes.ts";
import { programs } from "./programs.ts";
import { Progress } from "./progress.ts";
import { type ClusterSettings, findSettings, saveSettings } from "./settings.ts";
import { type UpFlags, upFlags } from "./up-flags.ts";

const manifests = fileURLToPath(new URL("manifests", import.meta.url));
const kubeletPort = 10250;
/** Between two looks at whether something is ready. */
const lookMs = 50;

/** `k8ts up`: starts the cluster of this machine, made first if there is none. */
export const main = command({
  usage: "up [flags]",
  flags: upFlags,
  async run({ values, changed }) {
    const paths = pathsOf(values);
    const progress = new Progress();
    checkMachine();
    const found = findSettings(paths);
    const settings = found ? keep(found, values, changed) : await newSettings(values);
    await prepareMachine(progress, settings, values["no-install"]);
    if (!found) await checkPorts(settings);
    await progress.step("certificates and configuration", () => writeFiles(paths, settings));
    await startPrograms(paths, settings);
    await progress.step("API server", () => apiReady(paths, values.timeout));
    await progress.step("access and add-ons", () => setUpApi(paths, settings));
    await progress.step(`node ${settings.nodeName}`, () =>
      nodeReady(paths, settings, values.timeout),
    );
    sayHow(progress, settings);
    return 0;
  },
});

function checkMachine(): void {
  const problems = machineProblems(thisMachine());
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

/** The machine's name, and the cluster's too if the machine may have several. */
export function defaultNodeName(cluster: string): string {
  const host = hostname().toLowerCase();
  return cluster === defaultClusterName ? host : `${host}-${cluster}`;
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

/** Installs what is missing, and lays the cluster's own network if it shares the machine. */
export async function prepareMachine(
  progress: Progress,
  settings: ClusterSettings,
  noInstall: boolean,
): Promise<void> {
  const missing = missingPackages(settings.runtimeEndpoint === undefined);
  if (missing.length > 0 && noInstall) {
    throw new CommandFailure(
      `these packages are missing: ${missing.join(" ")}; install them, or leave out --no-install`,
    );
  }
  if (missing.length > 0) {
    await progress.step(`installing ${missing.join(", ")} with apt-get`, () =>
      installPackages(missing),
    );
  }
  if (settings.networkNamespace) await ensureNamespace(planNamespace(settings.name));
}

async function checkPorts(settings: ClusterSettings): Promise<void> {
  if (settings.networkNamespace) return;
  const problems = await Promise.all([
    portProblem(Number(new URL(settings.server).port), "API server"),
    portProblem(kubeletPort, "kubelet"),
  ]);
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new PreflightError(found);
}

async function writeFiles(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await ensurePki(paths.pki, certificateWishes(settings, hostname()), systemClock.now());
  await writeNodeFiles(paths, settings);
  await writeAccessFiles(paths, settings.name, settings.server, accessOfServer);
  await saveSettings(paths, settings);
}

/** Folders and files of a node, whichever way it belongs to a cluster. */
export async function writeNodeFiles(paths: ClusterPaths, settings: ClusterSettings) {
  for (const folder of [paths.access, paths.config, paths.log, paths.run, paths.kubelet]) {
    await mkdir(folder, { recursive: true, mode: 0o755 });
  }
  await mkdir(join(paths.config, "static-pods"), { recursive: true });
  await ensureCgroup(cgroupName(settings.name, settings.nodeName));
  await writeIfChanged(kubeletConfigFile(paths), kubeletConfig(paths, settings), 0o644);
}

/** Starts what doesn't run yet; the server first, for it takes longest. */
export async function startPrograms(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await setStopping(paths, false);
  const all = programs(paths, settings);
  const start = (name: string): void => {
    const one = all.find((candidate) => candidate.name === name);
    if (one && findProcess(paths, name) === undefined) supervise(paths, one);
  };
  start("server");
  if (!settings.runtimeEndpoint) {
    const cniPlugins = findCniPlugins();
    if (!cniPlugins) throw new CommandFailure("the CNI plugins are missing");
    await prepareContainerd({ paths, cniPlugins });
    start("containerd");
    await eventually("containerd", 30_000, async () => existsSync(paths.containerdSocket));
    await eventually("containerd", 30_000, () =>
      ensurePauseImage(paths, paths.containerdSocket).then(
        () => true,
        () => false,
      ),
    );
  }
  start("agent");
}

async function apiReady(paths: ClusterPaths, timeoutMs: number): Promise<void> {
  await eventually("the API server", timeoutMs, async () => {
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
  const { kubeconfig } = settings;
  if (!kubeconfig) return;
  const config = (...args: string[]): Promise<string> =>
    mustKubectl(paths, ["config", `--kubeconfig=${kubeconfig}`, ...args]);
  const pki = (file: string): string => join(paths.pki, file);
  const { name, server } = settings;
  await config(
    "set-cluster",
    name,
    `--server=${server}`,
    `--certificate-authority=${pki("ca.crt")}`,
    "--embed-certs",
  );
  await config(
    "set-credentials",
    `${name}-admin`,
    `--client-certificate=${pki("admin.crt")}`,
    `--client-key=${pki("admin.key")}`,
    "--embed-certs",
  );
  await config("set-context", name, `--cluster=${name}`, `--user=${name}-admin`);
  await config("use-context", name);
}

async function nodeReady(paths: ClusterPaths, settings: ClusterSettings, timeoutMs: number) {
  const ready = '{.status.conditions[?(@.type=="Ready")].status}';
  await eventually(`node ${settings.nodeName}`, timeoutMs, async () => {
    const args = ["get", "node", settings.nodeName, `-o=jsonpath=${ready}`];
    return (await kubectl(paths, args)).out === "True";
  });
}

function sayHow(progress: Progress, { name, kubeconfig }: ClusterSettings): void {
  progress.say(`\nThe cluster is up. Its context "${name}" is in ${kubeconfig}. Try:`);
  progress.say("  k8ts kubectl get nodes");
}

/** Looks again and again, for as long as it may take. */
export async function eventually(
  what: string,
  timeoutMs: number,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadline = systemClock.monotonicMs() + timeoutMs;
  while (!(await holds())) {
    if (systemClock.monotonicMs() > deadline) {
      throw new CommandFailure(
        `${what} did not become ready within ${timeoutMs / 1000} s; see: k8ts status, k8ts logs`,
      );
    }
    await systemClock.sleep(lookMs);
  }
}

/** The kubeconfig of the cluster's administrator. */
export const adminAccess = (paths: ClusterPaths): string => accessFile(paths, "admin");
