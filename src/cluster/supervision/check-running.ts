import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { type Supervisor, supervisorOf } from "./supervisor.ts";

/** Throws if a program that a command needs does not run, as in a cluster that was stopped. */
export async function checkRunning(
  paths: ClusterPaths,
  { name }: Pick<ClusterSettings, "name">,
  program: string,
  supervisor: Supervisor = supervisorOf(paths, name),
): Promise<void> {
  const { pid } = await supervisor.state(program);
  if (pid !== undefined) return;
  throw new CommandFailure(`cluster "${name}" is stopped; start it: ${ownCommand("up", name)}`);
}
