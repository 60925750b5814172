import { createHash } from "node:crypto";
import { defaultClusterName } from "./paths.ts";
import type { ClusterSettings } from "./settings.ts";

/**
 * The port of a cluster's registry on localhost: computed from the name of its server's cluster, as several clusters share
 * the machine's. A node on another machine belongs to a cluster without a name.
 */
export function registryPort({ name, role }: Pick<ClusterSettings, "name" | "role">): number {
  const [, ofLocalNode] = /^(.+)-node\d+$/.exec(name) ?? [];
  const cluster = role === "server" ? name : (ofLocalNode ?? defaultClusterName);
  if (cluster === defaultClusterName) return 5001;
  const hash = createHash("sha256").update(`registry of ${cluster}`).digest();
  return 15_000 + (hash.readUInt16BE(0) % 1000);
}

/** The port of a server's node at which other nodes pull the images of its registry. */
export const peerPort = 10264;
