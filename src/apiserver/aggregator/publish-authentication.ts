import { readFile } from "node:fs/promises";
import { configMaps } from "#/api/core/v1.ts";
import { isAlreadyExists, isConflict } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Logger } from "#/std/log/log.ts";
import { loopback } from "../auth/base/loopback.ts";
import type { Handler } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";
import {
  type AuthenticationData,
  type AuthenticationInfo,
  combineAuthentication,
} from "./combine-authentication.ts";

const namespace = "kube-system";
const name = "extension-apiserver-authentication";
const url = `/api/v1/namespaces/${namespace}/configmaps`;
const resyncMs = 60_000;

/** The flags of authentication. */
interface AuthenticationFlags {
  readonly "client-ca-file": string;
  readonly "requestheader-client-ca-file": string;
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
  readonly "requestheader-username-headers": readonly string[];
}

interface PublishOptions {
  readonly flags: AuthenticationFlags;
  readonly handler: Handler;
  readonly registry: Registry;
  readonly log: Logger;
}

/**
 * Publishes the authentication settings for aggregated servers in a ConfigMap, until the signal aborts. The files are
 * read again each time.
 *
 * Upstream: pkg/controlplane/controller/clusterauthenticationtrust.
 */
export async function publishAuthentication(
  options: PublishOptions,
  signal: AbortSignal,
): Promise<void> {
  const { registry, log } = options;
  const sync = () =>
    publishOnce(options).catch((error: unknown) =>
      log.error(error, "failed to publish ConfigMap extension-apiserver-authentication"),
    );
  const store = registry.store(configMaps);
  const watch = store.cache.subscribe({
    scope: { keyPrefix: `${namespace}/${name}` },
    deliver: () => void sync(),
  });
  const timer = registry.clock.every(resyncMs, () => void sync(), { keepAlive: false });
  const stop = () => {
    watch[Symbol.dispose]();
    timer.cancel();
  };
  signal.addEventListener("abort", stop, { once: true });
  await sync();
}

async function publishOnce({ flags, handler, registry }: PublishOptions): Promise<void> {
  const found = registry.store(configMaps).findCached(namespace, name)?.parsed() as
    | { data?: AuthenticationData }
    | undefined;
  const existing = found?.data ?? {};
  const data = combineAuthentication(existing, await readInfo(flags), registry.clock.now());
  if (deepEqual(data, existing)) return;
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace }, data };
  try {
    if (found) await loopback(handler, "PUT", `${url}/${name}`, { ...found, data });
    else await loopback(handler, "POST", url, object);
  } catch (error) {
    // Conflict with another server's write: it is read again, and combined with ours.
    if (!isConflict(error) && !isAlreadyExists(error)) throw error;
  }
}

async function readInfo(flags: AuthenticationFlags): Promise<AuthenticationInfo> {
  const read = (file: string) => (file === "" ? "" : readFile(file, "utf8"));
  const [clientAuthority, requestHeaderAuthority] = await Promise.all([
    read(flags["client-ca-file"]),
    read(flags["requestheader-client-ca-file"]),
  ]);
  return {
    clientAuthority,
    requestHeaderAuthority,
    usernameHeaders: flags["requestheader-username-headers"],
    uidHeaders: flags["requestheader-uid-headers"],
    groupHeaders: flags["requestheader-group-headers"],
    extraPrefixes: flags["requestheader-extra-headers-prefix"],
    allowedNames: flags["requestheader-allowed-names"],
  };
}
