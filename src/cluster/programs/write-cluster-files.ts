import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { writeAccessFiles } from "../access/access-files.ts";
import { accessOfNode, accessOfServer, certificateSpecs } from "../access/certificates.ts";
import { ensureEncryption } from "../access/encryption-keys.ts";
import { ensurePki } from "../access/pki.ts";
import { useBalancer } from "../access/use-balancer.ts";
import { storeFolder } from "../backup/collect.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { agentServer, type ClusterSettings, localServer, saveSettings } from "../base/settings.ts";
import { memberFolder } from "../etcd/member-launch.ts";
import { writeNodeFiles } from "./start-node.ts";

/** Certificates, access and configuration of a cluster on this machine, and its settings. */
export async function writeClusterFiles(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const isServer = settings.role === "server";
  if (isServer) {
    if (settings.encryptsSecrets) {
      const hasStore =
        existsSync(storeFolder(paths)) || existsSync(join(memberFolder(paths), "member"));
      await ensureEncryption(paths.pki, { hasStore, now: systemClock.now() });
    }
    await ensurePki(paths.pki, certificateSpecs(settings, hostname()), systemClock.now());
  }
  await writeNodeFiles(paths, settings);
  if (isServer) {
    await writeAccessFiles(paths, settings.name, localServer(settings), accessOfServer);
    await writeAccessFiles(paths, settings.name, agentServer, accessOfNode);
  } else await useBalancer(paths);
  await saveSettings(paths, settings);
}
