import { mustKubectl } from "../access/kubectl.ts";
import { renewUserAccess } from "../access/user-access.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { disabledParts, enabledParts, manifestFiles } from "../parts/enabled-parts.ts";
import type { Part } from "../parts/part.ts";

/** Applies the manifests of the cluster's parts, and renews the access of its users. */
export async function applyManifests(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const named = (chosen: readonly Part[]): string[] =>
    manifestFiles(chosen).map((file) => `--filename=${file}`);
  const wanted = named(enabledParts(settings));
  // Also if the administrator's own role was removed.
  const as = `--kubeconfig=${accessFile(paths, "super-admin")}`;
  await mustKubectl(paths, [as, "apply", "--server-side", "--force-conflicts", ...wanted]);
  const unwanted = named(disabledParts(settings));
  if (unwanted.length > 0) {
    await mustKubectl(paths, [as, "delete", "--ignore-not-found", ...unwanted]);
  }
  await renewUserAccess(paths, settings);
}
