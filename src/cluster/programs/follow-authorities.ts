import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import {
  authoritiesNamespace,
  digestOf,
  followedAnnotation,
  type NodeAuthorities,
  readAuthorities,
} from "../access/node-authorities.ts";
import { readCertificates } from "../access/pki.ts";
import { authoritiesName } from "../access/server-roles.ts";
import { ServerSession } from "../access/server-session.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { writeIfChanged, writeWhole } from "../base/write-file.ts";

const log = logger("cluster");
/** Delay (ms) after a failure, and between looks for a certificate that the kubelet has requested. */
const retryMs = 5_000;
const lookMs = 500;
/** Limit of the wait for a certificate of the kubelet (ms); after it the authorities are read again. */
const renewalMs = 120_000;
/** How long one watch lasts (s). */
const watchSeconds = 600;

/**
 * Follows the authorities of the cluster on a node that has joined, until the signal aborts: what is trusted is written to
 * this machine, and certificates of an authority that no longer signs are renewed. Then the node says so.
 */
export async function followAuthorities(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) await systemClock.sleep(retryMs, signal);
    await watchOnce(paths, settings, signal).catch((error: Error) => {
      if (!signal.aborted) log.v(2, "failed to follow the authorities", { error: error.message });
    });
  }
}

async function watchOnce(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> {
  using session = await ServerSession.open(paths, settings, "node");
  const query = new URLSearchParams({
    watch: "true",
    fieldSelector: `metadata.name=${authoritiesName}`,
    timeoutSeconds: String(watchSeconds),
  });
  const path = `/api/v1/namespaces/${authoritiesNamespace}/configmaps?${query}`;
  for await (const event of session.events(path, signal)) {
    const trusted = await readFile(join(paths.pki, "ca.crt"), "utf8");
    const authorities = authoritiesIn(event.object, trusted);
    if (authorities) await follow(paths, settings, authorities, signal);
  }
}

/** The authorities in a ConfigMap; undefined if there are none to follow. */
function authoritiesIn(object: unknown, trusted: string): NodeAuthorities | undefined {
  try {
    return readAuthorities(object, trusted);
  } catch (error) {
    log.error(error, "refused the authorities of the cluster");
    return undefined;
  }
}

async function follow(
  paths: ClusterPaths,
  settings: ClusterSettings,
  authorities: NodeAuthorities,
  signal: AbortSignal,
): Promise<void> {
  const file = join(paths.pki, "ca.crt");
  if ((await readFile(file, "utf8")) !== authorities.ca) {
    await writeIfChanged(file, authorities.ca);
    log.info("wrote the authorities of the cluster", { file });
  }
  await renewed(paths, "kubelet-client", authorities.ca, signal);
  await renewed(paths, "kubelet-server", authorities.kubeletCa, signal);
  using session = await ServerSession.open(paths, settings, "node");
  const value = { metadata: { annotations: { [followedAnnotation]: digestOf(authorities) } } };
  const body = { type: "application/merge-patch+json", value };
  await session.json("PATCH", `/api/v1/nodes/${settings.nodeName}`, body);
}

/** Has the kubelet renew a certificate that another authority than the first of a list has signed. */
async function renewed(
  paths: ClusterPaths,
  name: "kubelet-client" | "kubelet-server",
  list: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(paths.kubelet, "pki");
  const signer = new X509Certificate(list);
  const isGood = async (): Promise<boolean> => {
    const [own] = await readCertificates(join(folder, `${name}-current.pem`));
    return own !== undefined && new X509Certificate(own).verify(signer.publicKey);
  };
  const endMs = systemClock.monotonicMs() + renewalMs;
  while (!(await isGood())) {
    signal.throwIfAborted();
    if (systemClock.monotonicMs() > endMs) throw new Error(`the kubelet does not renew ${name}`);
    // The kubelet removes it when it has renewed the certificate.
    await writeWhole(join(folder, `${name}-renew`), "");
    await systemClock.sleep(lookMs, signal);
  }
}
