import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "#/std/process/run-program.ts";
import { importPki } from "../access/import-pki.ts";
import { findUserFile } from "../access/user-access.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { finishOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import { type ClusterPaths, clusterFolder, clusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, findSettings, serverPort } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { configOf, expandConfig } from "../config/read-config.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { bundledImagesFolder } from "../machine/bundled-packages.ts";
import { checkMachine } from "../machine/check-machine.ts";
import { reportClosedFirewall } from "../machine/closed-firewall.ts";
import { PreflightError, portProblem } from "../machine/preflight.ts";
import { checkParts } from "../plan/check-parts.ts";
import { folderProblem, kubeconfigProblem } from "../plan/place-problems.ts";
import { checkTimeout } from "../plan/settings-problems.ts";
import { type UpFlags, upFlags } from "../plan/up-flags.ts";
import { upSettings } from "../plan/up-settings.ts";
import { prepareMachine } from "../programs/start-node.ts";
import { writeClusterFiles } from "../programs/write-cluster-files.ts";
import { ownRoot } from "../release/versions.ts";
import { reportChanges } from "../reports/report-changes.ts";
import { reportKept } from "../reports/report-kept.ts";
import { reportReach } from "../reports/report-reach.ts";
import { showFacts } from "../reports/show-facts.ts";
import { reportRisks } from "../runtimes/report-risks.ts";
import { withUserRuntime } from "../runtimes/user-runtime.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { clustersHere } from "./list.ts";
import { operations } from "./operations.ts";
import { runtimeProblemsHere } from "./runtime-problems-here.ts";
import { startCluster } from "./start-cluster.ts";
import { addLocalNode, startLocalNodes } from "./start-local-nodes.ts";

const kubeletPort = 10250;

/** `k8ts up`: starts the cluster of this machine; creates it first if there is none. */
export const main = command({
  name: "up",
  startsPrograms: true,
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
    await finishOperation(paths, operations, "before start", progress);
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
    const settings = found ? planned : await withUserRuntime(planned);
    reportChanges(progress, paths, found, settings);
    reportKept(progress, "up", { found, planned: settings, changed });
    if (values["dry-run"]) return 0;
    const { timeout: timeoutMs, "no-install": noInstall } = values;
    await prepareMachine(progress, settings, noInstall);
    const isServer = settings.role === "server";
    if (isServer) await checkPorts(paths, settings);
    if (!found && values.pki !== "") await importPki(values.pki, paths.pki);
    await progress.step(isServer ? "certificates and configuration" : "configuration", () =>
      writeClusterFiles(paths, settings),
    );
    const startOthers = () => startLocalNodes(paths, settings, { progress, timeoutMs });
    await startCluster(progress, paths, settings, { user, timeoutMs, startOthers });
    for (let count = 1 + localNodes(paths).length; count < values.nodes; count++) {
      await addLocalNode(paths, settings, "", { progress, timeoutMs, noInstall });
    }
    if (!found) await loadBundledImages(progress, settings.name, paths.folder);
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

/** Loads the images that came with this program, to all nodes of this machine. */
async function loadBundledImages(progress: Progress, name: string, folder: string): Promise<void> {
  const images = join(ownRoot, bundledImagesFolder);
  for (const file of existsSync(images) ? readdirSync(images) : []) {
    const words = ["image", "load", join(images, file), `--name=${name}`, `--data-dir=${folder}`];
    await progress.step(`loading ${file}`, () => runProgram(join(ownRoot, "k8ts"), words));
  }
}

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
    ...(await runtimeProblemsHere(settings)),
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
