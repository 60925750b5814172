import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClusterPaths } from "../base/paths.ts";
import type { Program } from "./supervisor.ts";

const script = fileURLToPath(new URL("./watchdog.sh", import.meta.url));

/** The command of a program; one that sends heartbeats is killed when they cease: see watchdog.sh. */
export function watchedCommand(
  { run }: Pick<ClusterPaths, "run">,
  { name, command, sendsHeartbeats }: Program,
): readonly string[] {
  return sendsHeartbeats ? [script, join(run, `${name}.heartbeat`), ...command] : command;
}
