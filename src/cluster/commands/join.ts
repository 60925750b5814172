import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { kubeconfigText } from "../access/access-files.ts";
import { parseToken } from "../access/bootstrap-token.ts";
import { caHash } from "../access/ca-hash.ts";
import {
  checkServer,
  checkSignature,
  checkToken,
  discoverAuthority,
} from "../access/cluster-info.ts";
import { useBalancer } from "../access/use-balancer.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { defaultNodeName } from "../base/default-node-name.ts";
import { findOperation } from "../base/operation.ts";
import { ownCommand } from "../base/own-command.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { agentServer, type ClusterSettings, findSettings, saveSettings } from "../base/settings.ts";
import { ensureFolder, writeIfChanged, writeWhole } from "../base/write-file.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { ownCluster } from "../command-line/own-cluster.ts";
import { expandJoin, joinDocuments } from "../config/read-config.ts";
import { checkMachine } from "../machine/check-machine.ts";
import { reportClosedFirewall } from "../machine/closed-firewall.ts";
import { ensureNamespace, namespaceOf } from "../machine/network-namespace.ts";
import { PreflightError } from "../machine/preflight.ts";
import { checkSettings } from "../plan/check-settings.ts";
import { type JoinFlags, joinFlags } from "../plan/join-flags.ts";
import { changedPartArgs } from "../plan/part-args.ts";
import { checkTimeout } from "../plan/settings-problems.ts";
import {
  changedNode,
  mirrorsOf,
  networksOf,
  placeOf,
  runtimeSettings,
  withAddress,
} from "../plan/up-settings.ts";
import { prepareMachine, startPrograms, writeNodeFiles } from "../programs/start-node.ts";
import { reportKept } from "../reports/report-kept.ts";
import { checkReach, reportReach } from "../reports/report-reach.ts";
import { reportRisks } from "../runtimes/report-risks.ts";
import { withUserRuntime } from "../runtimes/user-runtime.ts";
import { eventually, nodeReady } from "../supervision/readiness.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import { joinServer } from "./join-server.ts";
import { runtimeProblemsHere } from "./runtime-problems-here.ts";

/** `k8ts join SERVER`: makes this machine a node of a cluster whose server is another machine. */
export const main = command({
  name: "join",
  startsPrograms: true,
  description: `Makes this machine a node of a cluster that another machine serves, or with --server one more
server of it. \`k8ts token create\`, run there, prints the whole command line.`,
  arguments: ["[SERVER]"],
  examples: [
    ["Join a cluster", "join https://192.0.2.10:6443 --token TOKEN --ca-hash sha256:HASH"],
    ["Join as a JoinConfiguration of kubeadm says", "join --config join.yaml"],
  ],
  whenInterrupted: (cluster) =>
    `what has started goes on; to continue, run the same command; to undo it: ${ownCommand("down --purge", cluster)}`,
  flags: joinFlags,
  expand: expandJoin,
  async run({ values, changed, args: [server] }) {
    const paths = pathsOf(values);
    await using _lock = await ownCluster(values.name, "join");
    checkTimeout(values.timeout);
    const progress = new Progress();
    const found = findSettings(paths);
    if (values.server && found?.role !== "agent" && !(await hasStarted(paths, found))) {
      await joinServer(progress, paths, { server: serverUrl(server), flags: values });
      return 0;
    }
    if (found?.role === "server") {
      throw new CommandFailure(
        `${paths.folder} has a cluster of its own; to remove it: ${ownCommand("down --purge", found.name)}`,
      );
    }
    // The remains of a failed join don't count.
    const settings =
      found && isAdmitted(paths)
        ? await rejoin(progress, paths, found, { server, flags: values, changed })
        : await joinFirst(progress, paths, { server, flags: values, changed });
    progress.print(`\nThis machine is node "${settings.nodeName}" of ${settings.server}.`);
    await reportClosedFirewall(progress, settings);
    await reportRisks(progress, settings);
    await reportReach(progress, paths, settings);
    return 0;
  },
});

/** Whether there is a server that has not been interrupted while it joined. */
const hasStarted = async (
  paths: ClusterPaths,
  found: ClusterSettings | undefined,
): Promise<boolean> => found !== undefined && (await findOperation(paths)) === undefined;

interface JoinRequest {
  readonly server: string | undefined;
  readonly flags: JoinFlags;
  /** Names of the flags that were given. */
  readonly changed: ReadonlySet<string>;
}

/** Makes this machine a node. All checks are done before anything is changed. */
async function joinFirst(
  progress: Progress,
  paths: ClusterPaths,
  { server, flags, changed }: JoinRequest,
): Promise<ClusterSettings> {
  const documents = await joinDocuments(flags);
  const wanted = { ...newSettings(serverUrl(server), flags, changed), documents };
  checkSettings(wanted, networksOf(wanted));
  const problems = await runtimeProblemsHere(wanted);
  if (problems.length > 0) throw new PreflightError(problems);
  const settings = await withAddress(await withUserRuntime(wanted));
  const { token, "ca-hash": hash, timeout: timeoutMs } = flags;
  const parsed = parseToken(token);
  if (!parsed) {
    throw new CommandFailure("--token must be as `k8ts token create` printed it");
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(hash)) {
    throw new CommandFailure("--ca-hash must be as `k8ts token create` printed it");
  }
  await checkReach(settings);
  await checkMachine(settings);
  const authority = await progress.step(`checking ${settings.server} and the token`, async () => {
    const found = await discoverAuthority(settings.server, hash);
    await checkToken(settings.server, found, token);
    await checkSignature(settings.server, found, parsed);
    return found;
  });
  await prepareMachine(progress, settings, flags["no-install"]);
  await admitNode(progress, paths, settings, { authority, token, timeoutMs });
  return settings;
}

/** The credentials by which a node joins a cluster. */
export interface Admission {
  readonly authority: string;
  readonly token: string;
  readonly timeoutMs: number;
}

/** Starts a new node, and waits until the cluster has accepted it and it is Ready. */
export async function admitNode(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
  { authority, token, timeoutMs }: Admission,
): Promise<void> {
  if (settings.networkNamespace) await ensureNamespace(namespaceOf(settings));
  const since = await orUndo(paths, settings, async () => {
    await writeFiles(paths, settings, { authority, token });
    const started = await startPrograms(paths, settings, progress);
    const title = `certificate of node ${settings.nodeName}`;
    await progress.step(title, () => admitted(paths, settings, timeoutMs));
    // The token has done its work; the node has a certificate of its own.
    await rm(accessFile(paths, "bootstrap-kubelet"), { force: true });
    return started;
  });
  await progress.step(`node ${settings.nodeName}`, () =>
    nodeReady(paths, settings, { since, timeoutMs }),
  );
}

/** Removes everything of a node that the cluster has not accepted. */
async function orUndo<T>(
  paths: ClusterPaths,
  settings: ClusterSettings,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { takeDown } = await import("./down.ts");
    await takeDown(paths, settings, { purge: true });
    throw error;
  }
}

/** Updates a node when its server's address or its own has changed: it stays a node, and its pods keep running. */
async function rejoin(
  progress: Progress,
  paths: ClusterPaths,
  found: ClusterSettings,
  { server, flags, changed }: JoinRequest,
): Promise<ClusterSettings> {
  const url = server ? serverUrl(server) : found.server;
  const placed = changedNode(found, flags, changed);
  checkSettings(placed, []);
  const documents = (await joinDocuments(flags)) ?? found.documents;
  const settings = await withAddress({ ...placed, documents, server: url });
  reportKept(progress, "join", { found, planned: settings, changed });
  const authority = await readFile(join(paths.pki, "ca.crt"), "utf8");
  if (flags["ca-hash"] && flags["ca-hash"] !== caHash(authority)) {
    throw new CommandFailure(
      `this machine is a node of another cluster, ${found.server}; to leave it: ${ownCommand("down --purge", found.name)}`,
    );
  }
  await checkMachine(settings);
  await progress.step(`checking ${url}`, () => checkServer(url, authority));
  await prepareMachine(progress, settings, flags["no-install"]);
  await settleNode(progress, paths, settings, flags.timeout);
  return settings;
}

/** Starts a node that the cluster has accepted before; restarts it if its server's address or its own has changed. */
export async function settleNode(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
  timeoutMs: number,
): Promise<void> {
  if (settings.networkNamespace) await ensureNamespace(namespaceOf(settings));
  const isMoved = !isDeepStrictEqual(findSettings(paths), settings);
  if (isMoved) await supervisorOf(paths, settings.name).stop("agent");
  await writeNodeFiles(paths, settings);
  await useBalancer(paths);
  await saveSettings(paths, settings);
  const since = await startPrograms(paths, settings, progress);
  await progress.step(`node ${settings.nodeName}`, () =>
    nodeReady(paths, settings, { since, timeoutMs }),
  );
}

function serverUrl(text: string | undefined): string {
  if (!text)
    throw new CommandFailure(`name the server: ${ownCommand("join https://ADDRESS:6443 …")}`);
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (url?.protocol !== "https:") throw new CommandFailure(`"${text}" is no address of a server`);
  return url.origin;
}

function newSettings(
  server: string,
  flags: JoinFlags,
  changed: ReadonlySet<string>,
): ClusterSettings {
  return {
    ...placeOf(flags),
    name: flags.name,
    role: "agent",
    nodeName: flags["node-name"] || defaultNodeName(flags.name),
    server,
    serverNames: [],
    podCidr: flags["pod-network-cidr"],
    lbPool: flags["lb-pool"],
    lbAnnounce: flags["lb-announce"],
    registryMirrors: mirrorsOf(flags),
    serviceCidr: flags["service-cidr"],
    clusterDomain: flags["service-dns-domain"],
    proxyMode: flags["proxy-mode"],
    antiSpoofing: flags["anti-spoofing"],
    disabled: flags.disable,
    ...runtimeSettings(flags),
    kubeconfigs: [],
    verbosity: flags.v,
    logFormat: flags["logging-format"],
    partArgs: changedPartArgs(undefined, flags, changed),
  };
}

async function writeFiles(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { authority, token }: { readonly authority: string; readonly token: string },
): Promise<void> {
  await saveSettings(paths, settings);
  await writeNodeFiles(paths, settings);
  await ensureFolder(paths.pki);
  const authorityFile = join(paths.pki, "ca.crt");
  await writeWhole(authorityFile, authority);
  const access = kubeconfigText({
    cluster: settings.name,
    server: agentServer,
    authority: authorityFile,
    user: "bootstrap",
    credentials: { token },
  });
  await writeIfChanged(accessFile(paths, "bootstrap-kubelet"), access);
}

const isAdmitted = (paths: ClusterPaths): boolean => existsSync(accessFile(paths, "kubelet"));

/** The kubelet writes its kubeconfig after the cluster has signed its certificate. */
const admitted = (
  paths: ClusterPaths,
  settings: ClusterSettings,
  timeoutMs: number,
): Promise<void> =>
  eventually(
    { paths, settings, what: "the node's certificate", program: "agent", timeoutMs },
    async () => isAdmitted(paths),
  );
