import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "#/client/client.ts";
import { kubeletFlags } from "#/kubelet/config/flags.ts";
import type { KubeletConfiguration } from "#/kubelet/config/kubelet-configuration.ts";
import { run } from "#/kubelet/run.ts";
import { parseFlags } from "#/std/flags/flags.ts";

/** The runtime of a kubelet, with a directory for the kubelet's own files. */
interface KubeletRuntime {
  readonly directory: string;
  /** `unix:///…`. */
  readonly endpoint: string;
}

export interface TestKubelet {
  /** Stops the kubelet; its pods continue to run. */
  stop(): Promise<void>;
}

/** The name of the kubelet's node. */
export const testNodeName = "node-1";

/** The folder of static pods. */
export const manifestsOf = ({ directory }: KubeletRuntime): string => join(directory, "manifests");

/** A kubelet on a containerd, without cgroups and servers, so that several don't conflict. */
export async function startKubelet(
  containerd: KubeletRuntime,
  connect: () => Client["transport"],
  settings: Partial<KubeletConfiguration> = {},
): Promise<TestKubelet> {
  const { directory, endpoint } = containerd;
  const config = join(directory, "kubelet.json");
  await mkdir(manifestsOf(containerd), { recursive: true });
  await writeFile(
    config,
    JSON.stringify({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      containerRuntimeEndpoint: endpoint,
      failCgroupV1: false,
      failSwapOn: false,
      cgroupsPerQOS: false,
      enforceNodeAllocatable: [],
      enableServer: false,
      healthzPort: 0,
      podLogsDir: join(directory, "logs"),
      staticPodPath: manifestsOf(containerd),
      ...settings,
    }),
  );
  const flags = parseFlags(kubeletFlags, [
    `--config=${config}`,
    `--root-dir=${join(directory, "kubelet")}`,
    `--hostname-override=${testNodeName}`,
    "--node-ip=127.0.0.1",
  ]);
  const stop = new AbortController();
  const running = run(flags, stop.signal, { connect });
  running.catch(() => undefined); // stop() rejects with the error.
  return {
    async stop() {
      stop.abort();
      await running;
    },
  };
}
