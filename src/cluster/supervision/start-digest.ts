import { createHash } from "node:crypto";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { partStarts } from "../parts/enabled-parts.ts";
import type { PartProgram } from "../parts/part.ts";

/** All that a start of the server or the agent depends on, as a digest: another one means that it must be started again. */
export function startDigest(
  program: PartProgram,
  paths: ClusterPaths,
  settings: ClusterSettings,
  version = ownVersion(),
): string {
  const starts = partStarts(program, { paths, settings, resolvConf: findResolvConf() });
  return createHash("sha256").update(JSON.stringify({ version, starts })).digest("hex");
}
