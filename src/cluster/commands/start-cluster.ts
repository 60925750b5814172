import { writeUserAccess } from "../access/user-access.ts";
import type { UserFile } from "../access/user-file.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import { finishOperation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { applyFolders, hasManifests } from "../programs/manifests.ts";
import { startPrograms } from "../programs/start-node.ts";
import { checkMembership } from "../servers/check-membership.ts";
import { apiReady, memberReady, nodeReady } from "../supervision/readiness.ts";
import { applyManifests } from "./apply-manifests.ts";
import { operations } from "./operations.ts";

interface StartOptions {
  readonly user: UserFile;
  readonly timeoutMs: number;
  /** Starts the other nodes that the server has on this machine; without it they run, or there are none. */
  readonly startOthers?: () => Promise<void>;
}

/**
 * Starts the programs of a server or a node whose files are written, and the server's other nodes on this machine, and waits
 * until all are ready. An operation that was interrupted is ended then: it may wait for nodes.
 */
export async function startCluster(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
  { user, timeoutMs, startOthers }: StartOptions,
): Promise<void> {
  await checkMembership(paths, settings);
  const since = await startPrograms(paths, settings, progress);
  if (settings.role === "server") {
    if (hasOwnMember(settings)) {
      await progress.step("etcd", () => memberReady(paths, settings, timeoutMs));
    }
    await progress.step("API server", () => apiReady(paths, settings, timeoutMs));
    await progress.step("access and DNS", () => setUpApi(paths, settings, user));
  }
  await progress.step(`node ${settings.nodeName}`, () =>
    nodeReady(paths, settings, { since, timeoutMs }),
  );
  if (settings.role === "agent") return;
  await startOthers?.();
  await finishOperation(paths, operations, "after start", progress);
  await followManifests(progress, paths, settings);
}

/** Applies the manifests of the cluster's parts, and adds the cluster to the user's kubeconfig. */
async function setUpApi(
  paths: ClusterPaths,
  settings: ClusterSettings,
  user: UserFile,
): Promise<void> {
  await applyManifests(paths, settings);
  if (settings.kubeconfigs.includes(user.path)) await writeUserAccess(paths, settings, user);
}

/** Applies the user's manifests now, so that what is wrong with them is reported here; the server goes on with it. */
async function followManifests(
  progress: Progress,
  paths: ClusterPaths,
  { manifests = [] }: ClusterSettings,
): Promise<void> {
  if (!hasManifests(paths, manifests)) return;
  await progress
    .step("manifests", () => applyFolders(paths, manifests))
    .catch((error: Error) =>
      progress.print(`${error.message}\n  the server tries again until it succeeds`),
    );
}
