import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { programs } from "./programs.ts";
import { supervisorOf } from "./supervisor.ts";

/** Repairs the supervision of a cluster's programs. Server and agent both do this, also for each other. */
export const keepPrograms = (
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> => supervisorOf(paths, settings.name).keep(programs(paths, settings), signal);
