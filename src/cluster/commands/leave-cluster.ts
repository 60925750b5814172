import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { askServer } from "../access/ask-server.ts";
import { ownCommand } from "../base/own-command.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";

/** Timeout (ms) of the request to the server: a node must be stopped without it as well. */
const timeoutMs = 3_000;

/**
 * Reports in the API that a joined node is stopped; returns the remaining steps on the server. A node may
 * not delete its own Node: it could register again without its taints.
 *
 * Upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go, pkg/kubelet/nodestatus/setters.go.
 */
export async function leaveCluster(
  paths: ClusterPaths,
  { role, nodeName, server }: ClusterSettings,
): Promise<string | undefined> {
  if (role !== "agent" || !existsSync(accessFile(paths, "kubelet"))) return undefined;
  const advice = `To remove the node from the cluster, run on the machine of its server, ${server}:\n  ${ownCommand(`kubectl delete node ${nodeName}`)}`;
  try {
    const { status, body } = await askServer(new URL(`/api/v1/nodes/${nodeName}/status`, server), {
      authority: await readFile(join(paths.pki, "ca.crt"), "utf8"),
      identity: await readFile(join(paths.kubelet, "pki/kubelet-client-current.pem")),
      patch: {
        type: "application/strategic-merge-patch+json",
        body: { status: { conditions: [stopped(systemClock.now())] } },
      },
      timeoutMs,
    });
    if (status === 404) return undefined;
    if (status >= 300) throw new Error(`${server} answered with ${status}: ${body}`);
  } catch (error) {
    process.stderr.write(`k8ts: the server does not hear of it: ${(error as Error).message}\n`);
  }
  return advice;
}

/** The condition that a kubelet sets when it is stopped. */
function stopped(now: number): object {
  const time = new Date(now).toISOString().replace(/\.\d+/, "");
  return {
    type: "Ready",
    status: "False",
    reason: "KubeletNotReady",
    message: "node is shutting down",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
}
