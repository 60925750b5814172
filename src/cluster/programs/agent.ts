import { observeKernelChanges } from "#/std/kernel/kernel-changes.ts";
import { configureLogging } from "#/std/log/log.ts";
import { runUntilSignal } from "#/std/process/shutdown.ts";
import { type ClusterPaths, clusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { recorderOf } from "../machine/host-changes.ts";
import { keepKubeletFolder } from "../machine/keep-kubelet-folder.ts";
import { keepNamespace } from "../machine/keep-namespace.ts";
import { mountAgainInside } from "../machine/kubelet-folder.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { answerRequests } from "../node-upgrade/answer-requests.ts";
import { type Component, runComponents } from "../parts/run-components.ts";
import { cleanUpNode, partComponents } from "../parts/run-parts.ts";
import { settingsForRemoval } from "../plan/settings-for-removal.ts";
import { recordFailures } from "../supervision/failing-parts.ts";
import { keepPrograms } from "../supervision/keep-programs.ts";
import { sendHeartbeats } from "../supervision/send-heartbeats.ts";
import { recordStart } from "../supervision/started-with.ts";
import { followAddress, settleAddress } from "./follow-address.ts";
import { followAuthorities } from "./follow-authorities.ts";

/** Limit of the grace period of Pods when the cluster or the machine stops (seconds): as long as Docker gives containers. */
const maxPodGraceSeconds = 10;

/** The agent process of a node: `k8ts agent FOLDER`; with --cleanup it removes everything that the agent has set up. */
export async function main([folder = "", option, grace]: readonly string[]): Promise<number> {
  const paths = clusterPaths(folder);
  if (option === "--cleanup") {
    const isFinal = grace === "--now";
    const end = { maxGraceSeconds: isFinal ? 0 : maxPodGraceSeconds, isFinal };
    const settings = settingsForRemoval(paths, "");
    return await runUntilSignal((signal) => cleanUpNode(paths, settings, end, signal));
  }
  const settings = getSettings(paths);
  configureLogging({ verbosity: settings.verbosity, format: settings.logFormat });
  observeKernelChanges(recorderOf(settings.name));
  process.umask(0o022);
  return await runUntilSignal((signal) => runAgent(paths, settings, signal));
}

async function runAgent(paths: ClusterPaths, found: ClusterSettings, signal: AbortSignal) {
  const settings = await settleAddress(paths, found, "agent", signal);
  await recordStart("agent", paths, settings);
  await mountAgainInside(paths, settings);
  const context = { paths, settings, resolvConf: findResolvConf() };
  const components: readonly Component[] = [
    ...(await partComponents("agent", context, undefined)),
    { name: "address", run: (stop) => followAddress(settings, stop) },
    ...(settings.role === "agent"
      ? [
          {
            name: "authorities",
            run: (stop: AbortSignal) => followAuthorities(paths, settings, stop),
          },
        ]
      : []),
    { name: "supervision", run: (stop) => keepPrograms(paths, settings, stop) },
    { name: "heartbeat", run: sendHeartbeats },
    { name: "upgrades", restarts: true, run: (stop) => answerRequests(paths, settings, stop) },
    ...(settings.networkNamespace
      ? [
          { name: "namespace", run: (stop: AbortSignal) => keepNamespace(settings, stop) },
          { name: "mounts", run: (stop: AbortSignal) => keepKubeletFolder(paths, settings, stop) },
        ]
      : []),
  ];
  await runComponents(components, signal, { onFailure: recordFailures(paths, "agent") });
}
