import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { programs } from "./programs.ts";
import { supervisorOf } from "./supervisor.ts";

/** Heals the supervision of a cluster's programs. Server and agent both do, each for the other too. */
export const keepPrograms = (
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> => supervisorOf(paths, settings.name).keep(programs(paths, settings), signal);
