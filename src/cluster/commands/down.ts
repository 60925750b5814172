import { existsSync } from "node:fs";
import { runProgram } from "#/std/process/run-program.ts";
import { removeKubectlCache } from "../access/remove-kubectl-cache.ts";
import { removeUserAccess } from "../access/user-access.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { removeTree } from "../base/remove-tree.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { seizeCluster } from "../command-line/own-cluster.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { undoChanges } from "../machine/host-changes.ts";
import { enterPresentMounts, removeKubeletFolder } from "../machine/kubelet-folder.ts";
import { namespaceFile, planNamespace, removeNamespace } from "../machine/network-namespace.ts";
import {
  hasMonitors,
  killMonitors,
  killStrays,
  removeCgroups,
  removeEmptyFolders,
  unmountAll,
} from "../machine/node-cleanup.ts";
import { distrustAuthority } from "../machine/trust-store.ts";
import { settingsForRemoval } from "../plan/settings-for-removal.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { startRuntime } from "../programs/start-node.ts";
import { launcherOf } from "../release/versions.ts";
import { ownRuntime } from "../runtimes/own-runtime.ts";
import { leaveServers } from "../servers/remove-member.ts";
import { setStopping } from "../supervision/processes.ts";
import { inNamespaceOf } from "../supervision/programs.ts";
import { type Supervisor, supervisorOf } from "../supervision/supervisor.ts";
import { leaveCluster } from "./leave-cluster.ts";

const downFlags = {
  ...clusterFlags,
  "keep-enabled": { type: "bool", help: "Let it start again with the machine." },
  purge: { type: "bool", help: "Also delete all that the cluster has stored: nothing is left." },
} as const;

/** `k8ts down`: stops the cluster of this machine, and its containers. */
export const main = command({
  name: "down",
  description: `Stops a cluster of this machine with its containers. Its data stay, and \`k8ts up\` starts it
again; with --purge they are deleted.`,
  examples: [
    ["Stop the cluster", "down"],
    ["Remove the cluster test, with all that it has stored", "down --name test --purge"],
  ],
  flags: downFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    await using _lock = await seizeCluster(values.name, "down");
    const supervisor = supervisorOf(paths, values.name);
    const hasNamespace = existsSync(namespaceFile(planNamespace(values.name).namespace));
    // A start that was interrupted early has not created a folder yet.
    if (!existsSync(paths.folder) && !hasNamespace && (await supervisor.logs()).length === 0) {
      process.stderr.write(`k8ts: there is no cluster in ${paths.folder}\n`);
      return 0;
    }
    const options = { purge: values.purge, keepEnabled: values["keep-enabled"] };
    let code = 0;
    // The cluster's nodes on this machine are stopped before their server.
    for (const node of localNodes(paths)) {
      const withServer = { ...options, serverGoes: values.purge };
      code = Math.max(code, await takeDown(node.paths, node.settings, withServer));
    }
    const settings = settingsForRemoval(paths, values.name);
    return Math.max(code, await takeDown(paths, settings, options));
  },
});

interface TakeDownOptions {
  readonly purge: boolean;
  readonly keepEnabled?: boolean;
  /** Whether the server of the node is removed with it: then it need not know. */
  readonly serverGoes?: boolean;
}

/** Stops a cluster or a node on this machine, and removes it if requested; returns the exit code. */
export async function takeDown(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { purge, keepEnabled = false, serverGoes = false }: TakeDownOptions,
): Promise<number> {
  const work = new Teardown(paths, settings, { purge, serverGoes });
  if (!keepEnabled) await work.disable();
  await work.stop();
  if (purge) await work.purge();
  return work.report();
}

/** Takes a cluster down, step by step. A step that fails is recorded, and the others are still done. */
class Teardown {
  readonly #paths: ClusterPaths;
  readonly #settings: ClusterSettings;
  readonly #isPurge: boolean;
  readonly #serverGoes: boolean;
  readonly #supervisor: Supervisor;
  readonly #progress = new Progress();
  readonly #failures: string[] = [];
  /** Remaining steps for the user on another machine. */
  #advice: string | undefined;

  constructor(
    paths: ClusterPaths,
    settings: ClusterSettings,
    { purge, serverGoes }: { readonly purge: boolean; readonly serverGoes: boolean },
  ) {
    this.#paths = paths;
    this.#settings = settings;
    this.#isPurge = purge;
    this.#serverGoes = serverGoes;
    this.#supervisor = supervisorOf(paths, settings.name);
  }

  async disable(): Promise<void> {
    await this.#try("disabling the start with the machine", () => this.#supervisor.disable());
  }

  /** The agent first, so that it doesn't restart the next ones; then Pods, and their kernel objects. */
  async stop(): Promise<void> {
    await setStopping(this.#paths, true);
    await this.#step(`stopping node ${this.#settings.nodeName}`, [
      ["stopping the agent", () => this.#supervisor.stop("agent")],
      ["reporting that the node has stopped", () => this.#leave()],
      ["removing Pods", () => this.#removePods()],
    ]);
    await this.#step("stopping programs and containers", [
      ["stopping programs", () => this.#supervisor.stopAll()],
      ["stopping containers", () => killMonitors(this.#paths, this.#monitors)],
      ["stopping processes of containers", () => killStrays(this.#settings)],
    ]);
  }

  async purge(): Promise<void> {
    const [paths, settings] = [this.#paths, this.#settings];
    await this.#step("removing all data", [
      ["removing units", () => this.#supervisor.uninstall()],
      ["unmounting", () => unmountAll(paths)],
      ["removing the kubelet's folder", () => removeKubeletFolder(paths, settings)],
      ["removing cgroups", () => removeCgroups(settings)],
      ["removing the network namespace", () => removeNetwork(settings)],
      ["restoring kernel settings", () => undoChanges(settings.name)],
      ["removing the context", () => removeUserAccess(settings)],
      ["ending the trust in its authority", () => distrustAuthority(settings.name)],
      ["removing kubectl's cache", () => removeKubectlCache(settings)],
      ["removing logs", () => removeLogs(paths)],
      ["removing empty folders", removeEmptyFolders],
      [`removing ${paths.folder}`, () => removeTree(paths.folder)],
    ]);
  }

  /** Reports failed steps; returns the exit code. */
  report(): number {
    if (this.#isPurge && this.#advice) this.#progress.print(this.#advice);
    for (const failure of this.#failures) process.stderr.write(`k8ts: ${failure}\n`);
    return this.#failures.length === 0 ? 0 : 1;
  }

  async #leave(): Promise<void> {
    if (this.#isPurge && this.#settings.role === "server" && hasOwnMember(this.#settings)) {
      await leaveServers(this.#paths, this.#settings);
    }
    if (!this.#serverGoes) this.#advice = await leaveCluster(this.#paths, this.#settings);
  }

  async #removePods(): Promise<void> {
    if (!(await this.#hasRuntime())) return;
    const options = this.#isPurge ? ["--cleanup", "--now"] : ["--cleanup"];
    const agent = [launcherOf(this.#paths), "agent", this.#paths.folder, ...options];
    const [program = "", ...args] = inNamespaceOf(
      this.#settings,
      agent,
      enterPresentMounts(this.#settings),
    );
    await runProgram(program, args);
  }

  /** Only the runtime knows the kernel objects of its pods: one that was killed is started once more. */
  async #hasRuntime(): Promise<boolean> {
    const { runtimeEndpoint, networkNamespace } = this.#settings;
    if (runtimeEndpoint) return true;
    const programs = ownRuntime(this.#settings)?.programs.map(({ name }) => name) ?? [];
    const states = await Promise.all(programs.map((name) => this.#supervisor.state(name)));
    if (states.every(({ pid }) => pid !== undefined)) return true;
    const wasKilled =
      programs.some((name) => this.#supervisor.mayHaveLeft(name)) ||
      (await hasMonitors(this.#paths, this.#monitors));
    // After a reboot nothing of them is left.
    if (!wasKilled || (networkNamespace && !existsSync(namespaceFile(networkNamespace))))
      return false;
    await startRuntime(this.#paths, this.#settings);
    return true;
  }

  /** The programs that hold the containers of the node's own runtime. */
  get #monitors(): readonly string[] {
    return ownRuntime(this.#settings)?.monitors ?? [];
  }

  async #step(what: string, parts: readonly (readonly [string, () => Promise<unknown>])[]) {
    await this.#progress.step(what, async () => {
      for (const [part, work] of parts) await this.#try(part, work);
    });
  }

  async #try(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failures.push(`${what} failed: ${(error as Error).message}`);
    }
  }
}

async function removeNetwork({ networkNamespace, name }: ClusterSettings): Promise<void> {
  if (networkNamespace) await removeNamespace(planNamespace(name));
}

async function removeLogs(paths: ClusterPaths): Promise<void> {
  const { collectLogs } = await import("#/kubelet/run.ts");
  await collectLogs({ podLogs: paths.podLogs, mayRemoveContent: () => true });
}
