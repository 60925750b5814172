import { mustKubectl } from "../access/kubectl.ts";
import { findUserFile, renewUserAccess, writeUserAccess } from "../access/user-access.ts";
import type { UserFile } from "../access/user-file.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import { accessFile, type ClusterPaths, clusterFolder, clusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, findSettings, serverPort } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { configOf, expandConfig } from "../config/read-config.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { checkMachine } from "../machine/check-machine.ts";
import { reportClosedFirewall } from "../machine/closed-firewall.ts";
import { PreflightError, portProblem } from "../machine/preflight.ts";
import { disabledParts, enabledParts, manifestFiles } from "../parts/enabled-parts.ts";
import type { Part } from "../parts/part.ts";
import { checkParts } from "../plan/check-parts.ts";
import { folderProblem, kubeconfigProblem, runtimePlaceProblems } from "../plan/place-problems.ts";
import { checkTimeout } from "../plan/settings-problems.ts";
import { type UpFlags, upFlags } from "../plan/up-flags.ts";
import { upSettings } from "../plan/up-settings.ts";
import { prepareMachine, startPrograms } from "../programs/start-node.ts";
import { reportRisks } from "../runtimes/report-risks.ts";
import { withUserRuntime } from "../runtimes/user-runtime.ts";
import { paintStatus } from "../status/paint-status.ts";
import { readStatus } from "../status/read-status.ts";
import { renderFacts } from "../status/render-status.ts";
import { apiReady, nodeReady } from "../supervision/readiness.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { clustersHere } from "./list.ts";
import { writeClusterFiles } from "./prepare.ts";
import { reportChanges } from "./report-changes.ts";
import { reportReach } from "./report-reach.ts";
import { addLocalNode, startLocalNodes } from "./start-local-nodes.ts";

const kubeletPort = 10250;

/** `k8ts up`: starts the cluster of this machine; creates it first if there is none. */
export const main = command({
  name: "up",
  description: `Starts a cluster on this machine, and makes it first if there is none: installs the packages
that are missing, starts the programs in the background, and adds a context to your kubeconfig.
On a running cluster it starts what has stopped, and restarts what is to run with other settings.
Each component takes more flags by --COMPONENT-arg=NAME=VALUE, such as --kubelet-arg=max-pods=50.`,
  examples: [
    ["Start the cluster of this machine", "up"],
    ["Start a second one beside it, with a network of its own", "up --name test"],
    ["Start a cluster of three nodes on this machine", "up --nodes 3"],
    ["Make or change it as a file describes", "up --config cluster.yaml"],
    ["Show what a file would change", "up --config cluster.yaml --dry-run"],
    ["Never install packages", "up --no-install"],
  ],
  whenInterrupted: (cluster) =>
    `what has started goes on; to continue: ${ownCommand("up", cluster)}; to stop it: ${ownCommand("down", cluster)}`,
  flags: upFlags,
  expand: expandConfig,
  async run({ values, changed }) {
    const paths = pathsOf(values);
    await using _lock = await ownCluster(values.name, "up");
    const progress = new Progress();
    const found = findSettings(paths);
    const user = await findUserFile(values.kubeconfig);
    checkNumbers(values);
    const config = await configOf(values);
    const pools = clustersHere().map(({ settings: { name: cluster, lbPool: pool } }) => {
      return { cluster, pool };
    });
    const planned = await upSettings({ found, flags: values, changed, user, pools, config });
    await checkMachine(planned);
    await checkPlaces(paths, planned, { isNew: !found, kubeconfig: user.path });
    await checkParts(planned);
    reportChanges(progress, paths, found, planned);
    if (values["dry-run"]) return 0;
    const settings = found ? planned : await withUserRuntime(planned);
    await prepareMachine(progress, settings, values["no-install"]);
    const isServer = settings.role === "server";
    if (isServer) await checkPorts(paths, settings);
    await progress.step(isServer ? "certificates and configuration" : "configuration", () =>
      writeClusterFiles(paths, settings),
    );
    const since = await startPrograms(paths, settings, progress);
    const { timeout: timeoutMs } = values;
    if (isServer) {
      await progress.step("API server", () => apiReady(paths, settings, timeoutMs));
      await progress.step("access and DNS", () => setUpApi(paths, settings, user));
    }
    await progress.step(`node ${settings.nodeName}`, () =>
      nodeReady(paths, settings, { since, timeoutMs }),
    );
    await startLocalNodes(paths, settings, { progress, timeoutMs });
    for (let count = 1 + localNodes(paths).length; count < values.nodes; count++) {
      await addLocalNode(paths, settings, "", { progress, timeoutMs });
    }
    await showFacts(progress, paths, settings);
    await reportClosedFirewall(progress, settings);
    await reportRisks(progress, settings);
    if (localNodes(paths).length > 0) await reportReach(progress, paths, settings);
    if (!supervisorOf(paths, settings.name).startsAtBoot) {
      progress.print(`  after a restart of the machine: ${ownCommand("up", settings.name)}`);
    }
    return 0;
  },
});

function checkNumbers({ nodes, timeout }: UpFlags): void {
  if (nodes < 1) throw new CommandFailure(`--nodes=${nodes} is too few: a cluster has at least 1`);
  checkTimeout(timeout);
}

/** Checks the files and folders of the flags, before anything is created. */
async function checkPlaces(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { isNew, kubeconfig }: { readonly isNew: boolean; readonly kubeconfig: string },
): Promise<void> {
  const { name, kubeconfigs } = settings;
  const usual = clusterPaths(clusterFolder(name));
  const problems = [
    isNew ? folderProblem(paths.folder) : undefined,
    isNew && usual.folder !== paths.folder && findSettings(usual)
      ? `there is a cluster "${name}" in ${usual.folder} already; choose another --name`
      : undefined,
    kubeconfigs.includes(kubeconfig) ? kubeconfigProblem(kubeconfig) : undefined,
    ...(await runtimePlaceProblems(settings)),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new PreflightError(problems);
}

/** The ports of programs that don't run yet must be free. A cluster with a network of its own has its own ports. */
async function checkPorts(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  if (settings.networkNamespace) return;
  const ports = [
    { program: "server", port: serverPort(settings.server), purpose: "API server" },
    { program: "agent", port: kubeletPort, purpose: "kubelet" },
  ];
  const supervisor = supervisorOf(paths, settings.name);
  const problems = await Promise.all(
    ports.map(async ({ program, port, purpose }) => {
      const { pid } = await supervisor.state(program);
      return pid === undefined ? portProblem(port, purpose) : undefined;
    }),
  );
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new PreflightError(found);
}

/** Applies the manifests of the cluster's parts, and adds the cluster to the user's kubeconfig. */
async function setUpApi(
  paths: ClusterPaths,
  settings: ClusterSettings,
  user: UserFile,
): Promise<void> {
  const named = (chosen: readonly Part[]): string[] =>
    manifestFiles(chosen).map((file) => `--filename=${file}`);
  const wanted = named(enabledParts(settings));
  // Also if the administrator's own role was removed.
  const as = `--kubeconfig=${accessFile(paths, "super-admin")}`;
  await mustKubectl(paths, [as, "apply", "--server-side", "--force-conflicts", ...wanted]);
  const unwanted = named(disabledParts(settings));
  if (unwanted.length > 0) {
    await mustKubectl(paths, [as, "delete", "--ignore-not-found", ...unwanted]);
  }
  await renewUserAccess(paths, settings);
  if (settings.kubeconfigs.includes(user.path)) await writeUserAccess(paths, settings, user);
}

/** Prints a short screen of facts at the end. */
async function showFacts(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const { role, server, kubeconfigs, nodeName } = settings;
  if (role === "agent") progress.print(`\nThis machine is node "${nodeName}" of ${server}.`);
  else {
    const status = await readStatus(paths, settings);
    const kubeconfig = kubeconfigs.join(", ");
    const facts = renderFacts(status, { kubeconfig, took: progress.seconds });
    progress.print(`\n${paintStatus(facts.trimEnd(), progress.paint)}`);
  }
}
