import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, findSettings } from "../base/settings.ts";
import { programs } from "./programs.ts";
import { supervisorOf } from "./supervisor.ts";

/**
 * Repairs the supervision of a cluster's programs, those of its present settings. Server and agent both do this, also for
 * each other.
 */
export const keepPrograms = (
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> =>
  supervisorOf(paths, settings.name).keep(
    () => programs(paths, findSettings(paths) ?? settings),
    signal,
  );
