import { start as startDns } from "#/dns/run.ts";
import { removeAllPods, start as startKubelet } from "#/kubelet/run.ts";
import { start as startNetwork } from "#/network/run.ts";
import { start as startProxy } from "#/proxy/run.ts";
import { configureLogging } from "#/std/log/log.ts";
import { runUntilSignal } from "#/std/process/shutdown.ts";
import { type ClusterPaths, clusterPaths } from "../base/paths.ts";
import { type ClusterSettings, getSettings } from "../base/settings.ts";
import { writeIfChanged } from "../base/write-file.ts";
import { componentFlags, kubeletConfigFile } from "../components/component-flags.ts";
import { kubeletConfig } from "../components/kubelet-config.ts";
import { type Component, runComponents } from "../components/run-components.ts";
import { keepNamespace } from "../machine/keep-namespace-rules.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { settingsForRemoval } from "../plan/settings-for-removal.ts";
import { keepPrograms } from "../supervision/keep-programs.ts";
import { recordStart } from "../supervision/started-with.ts";
import { followAddress, settleAddress } from "./follow-address.ts";

/** Limit of the grace period of Pods when the cluster or the machine stops (seconds): as long as Docker gives containers. */
const maxPodGraceSeconds = 10;

/** The agent process of a node: `k8ts agent FOLDER`; with --cleanup, what takes away all that it has set up. */
export async function main([folder = "", option, grace]: readonly string[]): Promise<number> {
  const paths = clusterPaths(folder);
  if (option === "--cleanup") {
    const maxGraceSeconds = grace === "--now" ? 0 : maxPodGraceSeconds;
    const settings = settingsForRemoval(paths, "");
    return await runUntilSignal((signal) => cleanUp(paths, settings, { maxGraceSeconds }, signal));
  }
  const settings = getSettings(paths);
  configureLogging({ verbosity: settings.verbosity, format: settings.logFormat });
  return await runUntilSignal((signal) => runAgent(paths, settings, signal));
}

async function runAgent(paths: ClusterPaths, found: ClusterSettings, signal: AbortSignal) {
  const settings = await settleAddress(paths, found, "agent", signal);
  await recordStart("agent", paths, settings);
  const resolvConf = findResolvConf();
  const config = kubeletConfig(paths, settings, { resolvConf });
  await writeIfChanged(kubeletConfigFile(paths), config, 0o644);
  const flags = componentFlags(paths, settings, resolvConf);
  const components: readonly Component[] = [
    { name: "kubelet", run: (stop) => startKubelet(flags.kubelet, stop) },
    { name: "network", run: (stop) => startNetwork(flags.network, stop) },
    { name: "kube-proxy", run: (stop) => startProxy(flags["kube-proxy"], stop) },
    { name: "cluster-dns", run: (stop) => startDns(flags["cluster-dns"], stop) },
    { name: "address", run: (stop) => followAddress(settings, stop) },
    { name: "supervision", run: (stop) => keepPrograms(paths, settings, stop) },
    ...(settings.networkNamespace
      ? [{ name: "namespace", run: (stop: AbortSignal) => keepNamespace(settings, stop) }]
      : []),
  ];
  await runComponents(components, signal);
}

/**
 * Pods first, as their networks need the pod network. A step that fails doesn't keep others from being done. Settings that
 * a user may have got wrong are not needed.
 */
async function cleanUp(
  paths: ClusterPaths,
  { runtimeEndpoint }: ClusterSettings,
  options: { readonly maxGraceSeconds: number },
  signal: AbortSignal,
) {
  const cni = [`--cni-conf-dir=${paths.cni}`, `--cni-data-dir=${paths.cniData}`];
  const steps = [
    () => removeAllPods(runtimeEndpoint ?? `unix://${paths.containerdSocket}`, options, signal),
    () => startProxy(["--cleanup"], signal),
    () => startNetwork([...cni, "--cleanup"], signal),
  ];
  const failures: Error[] = [];
  for (const step of steps) await step().catch((error: Error) => failures.push(error));
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("; "));
}
