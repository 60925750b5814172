/** Upstream: pkg/kubelet/util/manager/watch_based_manager.go. */
import type { Resource } from "#/api/base/resource.ts";
import { type ConfigMap, configMaps, type Pod, type Secret, secrets } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { type Informer, RunningInformer } from "#/client/informers/informer.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { Listeners } from "../state/listeners.ts";
import { podReferences } from "./pod-references.ts";

const log = logger("referenced-objects");

/** Limit of the first read of an object (ms): the Pod tries again later. */
const syncMs = 3_000;

type Followed = ConfigMap | Secret;

interface Watched {
  readonly informer: Informer<Followed>;
  readonly stop: () => void;
  /** Pods that refer to it. */
  readonly pods: Set<string>;
}

/**
 * The ConfigMaps and Secrets that pods of this node refer to, each watched by itself: a node may read no others.
 */
export class ReferencedObjects implements Disposable {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  readonly #keys = new Map<string, ReadonlySet<string>>();
  readonly #changes = new Listeners<[podUIDs: readonly string[]]>();
  #isClosed = false;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Starts to watch the objects that a pod refers to. */
  register(pod: Pod): void {
    if (this.#isClosed) return;
    const uid = pod.metadata.uid ?? "";
    const namespace = pod.metadata.namespace ?? "";
    const references = podReferences(pod);
    const keys = new Set<string>();
    for (const name of references.configMaps)
      keys.add(this.#follow(configMaps, namespace, name, uid));
    for (const name of references.secrets) keys.add(this.#follow(secrets, namespace, name, uid));
    const before = this.#keys.get(uid);
    this.#keys.set(uid, keys);
    for (const key of before ?? []) if (!keys.has(key)) this.#release(key, uid);
  }

  unregister(podUID: string): void {
    for (const key of this.#keys.get(podUID) ?? []) this.#release(key, podUID);
    this.#keys.delete(podUID);
  }

  /** Stops all watches for good, even if pods are still there or are synced once more. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const { stop } of this.#watched.values()) stop();
    this.#watched.clear();
  }

  getConfigMap(namespace: string, name: string): Promise<ConfigMap> {
    return this.#get(configMaps, namespace, name);
  }

  getSecret(namespace: string, name: string): Promise<Secret> {
    return this.#get(secrets, namespace, name);
  }

  /** The listener gets the UIDs of the pods that refer to an object that has changed. */
  subscribe(listener: (podUIDs: readonly string[]) => void): Disposable {
    return this.#changes.add(listener);
  }

  async #get<T extends Followed>(
    resource: Resource<T>,
    namespace: string,
    name: string,
  ): Promise<T> {
    const watched = this.#watched.get(keyOf(resource, namespace, name));
    if (watched === undefined) return this.#client.get(resource, { namespace, name });
    if (!watched.informer.hasSynced) await this.#synced(resource, watched.informer);
    const found = watched.informer.store.get(namespace, name);
    if (found === undefined) throw missing(resource, name);
    return found as T;
  }

  async #synced(resource: Resource, informer: Informer<Followed>): Promise<void> {
    const timeout = new AbortController();
    const failure = new Error(
      `failed to sync ${resource.singular} cache: timed out waiting for the condition`,
    );
    const late = this.#clock.sleep(syncMs, timeout.signal).then(
      () => Promise.reject(failure),
      () => undefined,
    );
    try {
      await Promise.race([informer.synced, late]);
    } finally {
      timeout.abort();
    }
  }

  #follow<T extends Followed>(
    resource: Resource<T>,
    namespace: string,
    name: string,
    podUID: string,
  ): string {
    const key = keyOf(resource, namespace, name);
    const held = this.#watched.get(key);
    if (held !== undefined) {
      held.pods.add(podUID);
      return key;
    }
    const options = { namespace, fieldSelector: `metadata.name=${name}` };
    const informer = new RunningInformer(this.#client, resource, options, { clock: this.#clock });
    const ending = new AbortController();
    informer.synced.catch(() => undefined);
    informer
      .run(ending.signal)
      .catch((error: unknown) => log.error(error, "failed to watch object", { key }));
    const pods = new Set([podUID]);
    const changed = () => this.#changes.notify([...pods]);
    informer.subscribe({ added: changed, updated: changed, deleted: changed });
    const view = informer as unknown as Informer<Followed>;
    this.#watched.set(key, { informer: view, stop: () => ending.abort(), pods });
    return key;
  }

  #release(key: string, podUID: string): void {
    const watched = this.#watched.get(key);
    watched?.pods.delete(podUID);
    if (watched === undefined || watched.pods.size > 0) return;
    watched.stop();
    this.#watched.delete(key);
  }
}

/** Upstream's kubelet names the kind here, not the resource: `configmap "x" not found`. */
function missing({ group, singular }: Resource, name: string): Error {
  return notFound({ group, name: singular }, name);
}

function keyOf({ name: resource }: Resource, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`;
}
