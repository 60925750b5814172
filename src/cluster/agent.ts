import { start as startDns } from "#/dns/run.ts";
import { start as startKubelet } from "#/kubelet/run.ts";
import { start as startNetwork } from "#/network/run.ts";
import { start as startProxy } from "#/proxy/run.ts";
import { runUntilSignal } from "#/std/shutdown.ts";
import { componentFlags } from "./component-flags.ts";
import { keepSupervised } from "./keep-supervised.ts";
import { clusterPaths } from "./paths.ts";
import { runComponents } from "./run-components.ts";
import { getSettings } from "./settings.ts";

/** The agent process of a node: `k8ts agent FOLDER`. */
export async function main([folder = ""]: readonly string[]): Promise<number> {
  const paths = clusterPaths(folder);
  const settings = getSettings(paths);
  const flags = componentFlags(paths, settings);
  const components = [
    { name: "kubelet", run: (stop: AbortSignal) => startKubelet(flags.kubelet, stop) },
    { name: "network", run: (stop: AbortSignal) => startNetwork(flags.network, stop) },
    { name: "kube-proxy", run: (stop: AbortSignal) => startProxy(flags["kube-proxy"], stop) },
    { name: "cluster-dns", run: (stop: AbortSignal) => startDns(flags["cluster-dns"], stop) },
    { name: "supervision", run: (stop: AbortSignal) => keepSupervised(paths, settings, stop) },
  ];
  return await runUntilSignal((signal) => runComponents(components, signal));
}
