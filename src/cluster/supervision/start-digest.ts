import { createHash } from "node:crypto";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { partStarts } from "../parts/enabled-parts.ts";
import type { PartProgram } from "../parts/part.ts";

/** A digest of everything that a start of the server or the agent depends on: if it differs, the program must be restarted. */
export function startDigest(
  program: PartProgram,
  paths: ClusterPaths,
  settings: ClusterSettings,
  version = ownVersion(),
): string {
  const starts = partStarts(program, { paths, settings, resolvConf: findResolvConf() });
  return createHash("sha256").update(JSON.stringify({ version, starts })).digest("hex");
}
