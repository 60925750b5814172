import { ownCommand } from "../base/own-command.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { keptDisabled } from "../plan/kept-disabled.ts";

/** Prints which parts stay disabled by an earlier command, and how to enable them. */
export function reportKept(
  progress: Progress,
  words: "up" | "join",
  kept: Parameters<typeof keptDisabled>[0] & { readonly planned: ClusterSettings },
): void {
  const parts = keptDisabled(kept);
  if (parts.length === 0) return;
  const remedy = ownCommand(`${words} --disable=`, kept.planned.name);
  progress.print(`  still disabled, as before: ${parts.join(", ")}; to enable all: ${remedy}`);
}
