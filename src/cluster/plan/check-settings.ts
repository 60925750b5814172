import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { type MachineNetwork, settingsProblems } from "./settings-problems.ts";

/** Throws all problems, before anything is changed. */
export function checkSettings(
  settings: ClusterSettings,
  networks: readonly MachineNetwork[],
): void {
  const problems = settingsProblems(settings, networks);
  if (problems.length === 0) return;
  const [first = "", ...more] = problems;
  if (more.length === 0) throw new CommandFailure(first);
  throw new CommandFailure(["these settings can't be used:", ...problems].join("\n  - "));
}
