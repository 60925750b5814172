import { start as startDns } from "#/dns/run.ts";
import { removeAllPods, start as startKubelet } from "#/kubelet/run.ts";
import { start as startNetwork } from "#/network/run.ts";
import { start as startProxy } from "#/proxy/run.ts";
import { configureLogging } from "#/std/log.ts";
import { runUntilSignal } from "#/std/shutdown.ts";
import { writeIfChanged } from "./access-files.ts";
import { componentFlags, kubeletConfigFile } from "./component-flags.ts";
import { followAddress, settleAddress } from "./follow-address.ts";
import { keepSupervised } from "./keep-supervised.ts";
import { kubeletConfig } from "./kubelet-config.ts";
import { type ClusterPaths, clusterPaths } from "./paths.ts";
import { findResolvConf } from "./resolv-conf.ts";
import { type Component, runComponents } from "./run-components.ts";
import { type ClusterSettings, getSettings } from "./settings.ts";

/** The agent process of a node: `k8ts agent FOLDER`; with --cleanup, what takes away all that it has set up. */
export async function main([folder = "", option]: readonly string[]): Promise<number> {
  const paths = clusterPaths(folder);
  const settings = getSettings(paths);
  configureLogging({ verbosity: settings.verbosity, format: settings.logFormat });
  const work = option === "--cleanup" ? cleanUp : runAgent;
  return await runUntilSignal((signal) => work(paths, settings, signal));
}

async function runAgent(paths: ClusterPaths, found: ClusterSettings, signal: AbortSignal) {
  const settings = await settleAddress(paths, found, "agent", signal);
  const resolvConf = findResolvConf();
  await writeIfChanged(kubeletConfigFile(paths), kubeletConfig(paths, settings, resolvConf), 0o644);
  const flags = componentFlags(paths, settings, resolvConf);
  const components: readonly Component[] = [
    { name: "kubelet", run: (stop) => startKubelet(flags.kubelet, stop) },
    { name: "network", run: (stop) => startNetwork(flags.network, stop) },
    { name: "kube-proxy", run: (stop) => startProxy(flags["kube-proxy"], stop) },
    { name: "cluster-dns", run: (stop) => startDns(flags["cluster-dns"], stop) },
    { name: "address", run: (stop) => followAddress(settings, stop) },
    { name: "supervision", run: (stop) => keepSupervised(paths, settings, stop) },
  ];
  await runComponents(components, signal);
}

/** Pods first, as their networks need the pod network. */
async function cleanUp(paths: ClusterPaths, settings: ClusterSettings, signal: AbortSignal) {
  const flags = componentFlags(paths, settings);
  await removeAllPods(settings.runtimeEndpoint ?? `unix://${paths.containerdSocket}`, signal);
  await startProxy([...flags["kube-proxy"], "--cleanup"], signal);
  await startNetwork([...flags.network, "--cleanup"], signal);
}
