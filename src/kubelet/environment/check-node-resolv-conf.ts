import { readFile } from "node:fs/promises";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { openFailure } from "#/std/files/file-errors.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { checkResolvConf } from "./dns-config.ts";

const reason = "CheckLimitsForResolvConf";

/**
 * Warns if the node's resolv.conf exceeds the limits of pods: once, at the start.
 *
 * Upstream: pkg/kubelet/network/dns/dns.go (CheckLimitsForResolvConf).
 */
export async function checkNodeResolvConf({
  config,
  nodeName,
  recorder,
}: {
  readonly config: Pick<KubeletConfiguration, "resolvConf" | "clusterDomain">;
  readonly nodeName: string;
  readonly recorder: EventRecorder;
}): Promise<void> {
  const { resolvConf: path, clusterDomain = "" } = config;
  if (path === "") return;
  const message = await problemOf(path, clusterDomain);
  if (message === undefined) return;
  recorder.event({ apiVersion: "v1", kind: "Node", name: nodeName }, "Warning", reason, message);
}

async function problemOf(path: string, clusterDomain: string): Promise<string | undefined> {
  try {
    return checkResolvConf(path, await readFile(path, "utf8"), clusterDomain)?.message;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === undefined ? message : openFailure(path, error);
  }
}
