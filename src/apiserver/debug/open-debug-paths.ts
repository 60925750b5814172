import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { flagTexts } from "#/std/flags/flags.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { advertisedAddress } from "../flags/advertised-address.ts";
import { type ApiServerFlags, apiServerFlags } from "../flags/index.ts";
import type { Paths } from "../http/paths.ts";
import { openDebugSocket } from "./debug-socket.ts";
import { addLogFiles } from "./log-paths.ts";
import { addProfiles } from "./profile-paths.ts";
import { addVerbosity } from "./verbosity-path.ts";
import { addZPages } from "./z-page-paths.ts";

interface DebugOptions {
  readonly flags: ApiServerFlags;
  readonly enabled: (feature: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Serves the debug paths that flags enable.
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/config.go (installAPI).
 */
export async function openDebugPaths(
  paths: Paths,
  { flags, enabled, clock, log }: DebugOptions,
): Promise<AsyncDisposable> {
  if (flags.profiling) {
    addProfiles(paths, clock);
    addVerbosity(paths);
  }
  if (flags["enable-logs-handler"]) addLogFiles(paths);
  const host = flags["external-hostname"] || advertisedAddress(flags);
  const texts = flagTexts(apiServerFlags, { ...flags, "external-hostname": host });
  addZPages(paths, { enabled, flags: texts, version: kubernetesVersion.slice(1), clock });
  const stack = new AsyncDisposableStack();
  const socket = flags["debug-socket-path"];
  if (socket !== "") stack.use(await openDebugSocket(socket, clock, log));
  return stack;
}
