import type { ClusterPaths } from "../base/paths.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { partStarts } from "../parts/enabled-parts.ts";
import { planChanges } from "../plan/plan-changes.ts";

/** Prints what a changed setting restarts, and why; nothing for a new cluster. */
export function reportChanges(
  progress: Progress,
  paths: ClusterPaths,
  found: ClusterSettings | undefined,
  planned: ClusterSettings,
): void {
  if (!found) return;
  const starts = (program: "server" | "agent", settings: ClusterSettings) =>
    partStarts(program, { paths, settings, resolvConf: findResolvConf() });
  const programs =
    planned.role === "server" ? (["server", "agent"] as const) : (["agent"] as const);
  const lines = programs.flatMap((program) =>
    planChanges({
      program,
      before: starts(program, found),
      after: starts(program, planned),
    }),
  );
  for (const line of lines) progress.print(`  ${line}`);
}
