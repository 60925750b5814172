import type { ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { paintStatus } from "../status/paint-status.ts";
import { readStatus } from "../status/read-status.ts";
import { renderFacts } from "../status/render-status.ts";

/** Prints a short screen of facts at the end. */
export async function showFacts(
  progress: Progress,
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const { role, server, kubeconfigs, nodeName } = settings;
  if (role === "agent") progress.print(`\nThis machine is node "${nodeName}" of ${server}.`);
  else {
    const status = await readStatus(paths, settings);
    const kubeconfig = kubeconfigs.join(", ");
    const facts = renderFacts(status, { kubeconfig, took: progress.seconds });
    progress.print(`\n${paintStatus(facts.trimEnd(), progress.paint)}`);
  }
}
