import { hostname } from "node:os";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { certificateSpecs } from "../access/certificates.ts";
import { ensurePki } from "../access/pki.ts";
import { renewUserAccess } from "../access/user-access.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { getSettings } from "../base/settings.ts";
import type { Connect } from "../parts/part.ts";
import {
  keysName,
  keysNamespace,
  keysPath,
  type PublishedKeys,
  readKeysObject,
  unsealFiles,
  usedAnnotation,
} from "./published-keys.ts";
import { followSharedFiles } from "./shared-files.ts";
import { untilUsed } from "./until-used.ts";

const log = logger("cluster");
/** Delay (ms) after a failure, and after the end of a watch. */
const retryMs = 2_000;
/** How long one watch lasts (s). */
const watchSeconds = 600;

type Api = ReturnType<Connect>;

/**
 * Follows a rotation that runs on another server, until the signal aborts: takes over its keys, issues the certificates of
 * this server again, and says so once the server uses them. Reports when what was published at the start is followed: only then
 * may this server publish what it has.
 */
export async function followKeys(
  paths: ClusterPaths,
  api: Api,
  signal: AbortSignal,
  onFollowed: () => void,
): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await systemClock.sleep(retryMs, signal).catch(() => undefined);
    try {
      await followPresent(paths, api, signal);
      onFollowed();
      await followChanges(paths, api, signal);
    } catch (error) {
      if (!signal.aborted) log.error(error, "failed to follow the rotation of keys");
    }
  }
}

async function followPresent(paths: ClusterPaths, api: Api, signal: AbortSignal): Promise<void> {
  const { status, body } = await api.request({ method: "GET", path: keysPath, signal });
  if (status === 404) return;
  if (status !== 200) throw new Error(`the keys of a rotation can't be read: ${status}`);
  await follow(paths, api, readKeysObject(body));
}

async function followChanges(paths: ClusterPaths, api: Api, signal: AbortSignal): Promise<void> {
  const query = {
    watch: true,
    fieldSelector: `metadata.name=${keysName}`,
    timeoutSeconds: watchSeconds,
  };
  const path = `/api/v1/namespaces/${keysNamespace}/configmaps`;
  for await (const { type, object } of api.watch({ method: "GET", path, query, signal })) {
    if (type === "ADDED" || type === "MODIFIED") await follow(paths, api, readKeysObject(object));
  }
}

async function follow(
  paths: ClusterPaths,
  api: Api,
  keys: PublishedKeys | undefined,
): Promise<void> {
  const settings = getSettings(paths);
  // The server where the rotation runs changes its files before it publishes them.
  if (!keys || keys.driver === settings.nodeName) return;
  const files = await unsealFiles(paths.pki, keys);
  await followSharedFiles(paths.pki, settings, files);
  await ensurePki(paths.pki, certificateSpecs(settings, hostname()), systemClock.now());
  await renewUserAccess(paths, settings);
  await untilUsed(paths);
  const value = { metadata: { annotations: { [usedAnnotation]: keys.id } } };
  const { status } = await api.request({
    method: "PATCH",
    path: `/api/v1/nodes/${settings.nodeName}`,
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify(value),
  });
  if (status >= 300) throw new Error(`the node of this server can't be changed: ${status}`);
  log.info("follows the rotation of keys", { subject: keys.subject, server: keys.driver });
}
