import { rmSync } from "node:fs";

/** Where commands are killed: before and after each step of their journal, or after each change that they make. */
export type PointKind = "step" | "change";

/** No command has as many points of either kind. */
export const maxPoints = 400;
/** The commands in which changes are counted, also where another command runs them. */
const counted = ["certificate", "snapshot", "upgrade", "migrate", "join", "up"];

/** The environment by which a command is killed at a point, counted from 0. */
export function killEnvironment(
  kind: PointKind,
  point: number,
  changesFile: string,
): Readonly<Record<string, string>> {
  if (kind === "step") return { K8TS_KILL_AT: String(point) };
  rmSync(changesFile, { force: true });
  return {
    NODE_OPTIONS: `--import=${import.meta.resolve("./kill-at-change.ts")}`,
    KILL_AT_CHANGE: String(point + 1),
    CHANGES_FILE: changesFile,
    KILL_COMMANDS: counted.join(","),
  };
}
