import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { programRoot } from "../release/versions.ts";
import type { Program } from "./supervisor.ts";

const script = "src/cluster/supervision/watchdog.sh";

/** The command of a program; one that sends heartbeats is killed when they cease: see watchdog.sh. */
export function watchedCommand(
  paths: Pick<ClusterPaths, "run" | "folder">,
  { name, command, sendsHeartbeats }: Program,
): readonly string[] {
  return sendsHeartbeats
    ? [join(programRoot(paths), script), join(paths.run, `${name}.heartbeat`), ...command]
    : command;
}
