import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { askServer } from "../access/ask-server.ts";
import { upgradeNamespace } from "../access/server-roles.ts";
import { ownVersion } from "../base/own-version.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { agentServer, type ClusterSettings } from "../base/settings.ts";
import { readDigest } from "../release/install-program.ts";
import { ownRoot } from "../release/versions.ts";
import { fetchProgram } from "./fetch-program.ts";
import {
  type NodeRequest,
  outcomeAnnotation,
  parseRequest,
  versionAnnotation,
} from "./node-request.ts";
import { findOutcome, readLastRequest, writeLastRequest, writeOutcome } from "./outcome.ts";

const log = logger("cluster");
/** Length of one watch (seconds), and the delay after one that failed (ms): the server may be restarting. */
const watchSeconds = 240;
const retryMs = 5_000;
/** Time (ms) between two looks for the Node, which the kubelet registers. */
const registrationMs = 500;

/**
 * Upgrades this node when the cluster asks for it, until the signal aborts: installs the program beside its own, and has that
 * take over. Reports its version, and how the last upgrade has ended, as annotations of its Node.
 */
export async function answerRequests(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
): Promise<void> {
  const api = new NodeApi(paths, settings, signal);
  let seen = "";
  let isReported = false;
  let failures = 0;
  while (!signal.aborted) {
    try {
      isReported ||= await report(api, paths, settings);
      if (!isReported) {
        await systemClock.sleep(registrationMs, signal);
        continue;
      }
      const event = await api.nextRequest(seen);
      seen = event?.resourceVersion ?? "";
      if (event?.request) await answer(api, paths, settings, event.request);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      // The server's role for nodes may be missing, and each failure would fill the log.
      if (++failures === 12) log.info("upgrades can't be requested", { error: String(error) });
      seen = "";
      await systemClock.sleep(retryMs, signal).catch(() => undefined);
    }
  }
}

/** Reports the version that runs; false if the Node is not there yet. */
async function report(
  api: NodeApi,
  paths: ClusterPaths,
  { nodeName }: ClusterSettings,
): Promise<boolean> {
  const outcome = await findOutcome(paths);
  return await api.annotate(nodeName, {
    [versionAnnotation]: ownVersion(),
    [outcomeAnnotation]: outcome === undefined ? null : JSON.stringify(outcome),
  });
}

async function answer(
  api: NodeApi,
  paths: ClusterPaths,
  settings: ClusterSettings,
  request: NodeRequest,
): Promise<void> {
  const { id, version } = request;
  const last = await findOutcome(paths);
  if (last?.id !== id) {
    await writeLastRequest(paths, request.signedMs);
    log.info("an upgrade was requested", { version });
    if (ownVersion() === version && readDigest(ownRoot) === request.digest) {
      await writeOutcome(paths, { id, version, error: "" });
    } else await takeOver(api, paths, settings, request);
  }
  await report(api, paths, settings);
}

/**
 * Installs the new program, which then replaces this one: this process is stopped by it, and goes on only if that fails. It
 * runs in a session of its own, as it outlives this process.
 */
async function takeOver(
  api: NodeApi,
  paths: ClusterPaths,
  settings: ClusterSettings,
  request: NodeRequest,
): Promise<void> {
  const { id, version } = request;
  try {
    const { folder } = await fetchProgram(paths, request, (name) => api.configMap(name));
    const flags = [`--name=${settings.name}`, `--data-dir=${paths.folder}`, `--request=${id}`];
    const child = spawn(join(folder, "k8ts"), ["upgrade", "--this-node", ...flags], {
      detached: true,
      stdio: "ignore",
    });
    const [code] = await once(child, "close");
    if (code !== 0 && (await findOutcome(paths))?.id !== id) {
      throw new Error(`k8ts upgrade --this-node ended with code ${code}`);
    }
  } catch (error) {
    log.error(error, "failed to upgrade this node", { version });
    await writeOutcome(paths, { id, version, error: (error as Error).message });
  }
}

interface RequestEvent {
  readonly resourceVersion: string;
  readonly request: NodeRequest | undefined;
}

/** What a node asks of the API, with its kubelet's identity. */
class NodeApi {
  readonly #paths: ClusterPaths;
  readonly #settings: ClusterSettings;
  readonly #signal: AbortSignal;

  constructor(paths: ClusterPaths, settings: ClusterSettings, signal: AbortSignal) {
    this.#paths = paths;
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Waits for a request of this node that is newer; undefined if there was none for a while. */
  async nextRequest(resourceVersion: string): Promise<RequestEvent | undefined> {
    const query = new URLSearchParams({
      watch: "true",
      fieldSelector: `metadata.name=${this.#settings.nodeName}`,
      timeoutSeconds: String(watchSeconds),
      ...(resourceVersion && { resourceVersion }),
    });
    const body = await this.#get(`configmaps?${query}`, {
      timeoutMs: (watchSeconds + 30) * 1000,
      until: (text) => text.includes("\n"),
    });
    const [line = ""] = body.split("\n", 1);
    if (line === "") return resourceVersion ? { resourceVersion, request: undefined } : undefined;
    const { type, object } = JSON.parse(line) as { type: string; object: ConfigMap };
    if (type === "ERROR") return undefined;
    const { resourceVersion: found = "" } = object.metadata ?? {};
    return {
      resourceVersion: found,
      request: type === "DELETED" ? undefined : await this.#requestIn(object, found),
    };
  }

  /** The request in a ConfigMap; none if it must not be followed. */
  async #requestIn(object: ConfigMap, resourceVersion: string): Promise<NodeRequest | undefined> {
    try {
      return parseRequest(object, {
        authorities: await this.#authorities(),
        node: this.#settings.nodeName,
        nowMs: systemClock.now(),
        lastMs: await readLastRequest(this.#paths),
      });
    } catch (error) {
      log.error(error, "refused to upgrade this node", { resourceVersion });
      return undefined;
    }
  }

  #authorities(): Promise<string> {
    return readFile(join(this.#paths.pki, "ca.crt"), "utf8");
  }

  async configMap(name: string): Promise<unknown> {
    return JSON.parse(await this.#get(`configmaps/${name}`, {}));
  }

  /** Sets annotations of the Node; false if there is none. */
  async annotate(node: string, annotations: Record<string, string | null>): Promise<boolean> {
    const { status, body } = await askServer(this.#url(`/api/v1/nodes/${node}`), {
      ...(await this.#identity()),
      patch: { type: "application/merge-patch+json", body: { metadata: { annotations } } },
    });
    if (status === 404) return false;
    if (status >= 300) throw new Error(`the server answered with ${status}: ${body}`);
    return true;
  }

  async #get(path: string, options: { timeoutMs?: number; until?: (text: string) => boolean }) {
    const url = this.#url(`/api/v1/namespaces/${upgradeNamespace}/${path}`);
    const identity = await this.#identity();
    const { status, body } = await askServer(url, {
      ...identity,
      ...options,
      signal: this.#signal,
    });
    if (status >= 300) throw new Error(`the server answered with ${status}: ${body}`);
    return body;
  }

  #url(path: string): URL {
    return new URL(path, agentServer);
  }

  async #identity() {
    return {
      authority: await this.#authorities(),
      identity: await this.#certificate(),
    };
  }

  /** A node that has joined renews its certificate; the server writes that of its own node, with the key apart. */
  async #certificate(): Promise<Buffer> {
    const own = ["kubelet.crt", "kubelet.key"].map((file) => join(this.#paths.pki, file));
    const joined = [join(this.#paths.kubelet, "pki/kubelet-client-current.pem")];
    const files = this.#settings.role === "server" ? own : joined;
    return Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
  }
}

interface ConfigMap {
  readonly metadata?: { readonly resourceVersion?: string };
}
