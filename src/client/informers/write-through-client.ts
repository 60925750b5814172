import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta, Status } from "#/api/meta/v1.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { SharedRuns } from "#/std/async/shared-runs.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { Client } from "../client.ts";
import { keyOf, metaOf, refKey } from "../object-key.ts";
import type {
  ListOptions,
  PatchOptions,
  RemoveOptions,
  SelectOptions,
  WriteOptions,
} from "../requests.ts";
import type { ObjectRef } from "../resource-path.ts";
import { compareVersions } from "../resource-version.ts";
import { isConnectionError } from "../transport/connection-error.ts";
import type { Informers } from "./informers.ts";

const log = logger("write-through-client");

/** Is called for each write. */
export interface WriteObserver {
  /** The time at its start; 0 if it is of no interest. */
  now(): number;
  wrote(
    verb: "create" | "update" | "delete",
    resource: Resource,
    object: unknown,
    fromMs: number,
  ): void;
}

/**
 * A client whose writes are in the informers' stores when they resolve, before the watch's event
 * arrives: a caller that reads a store after a write sees the write. So nothing is created twice
 * because a cache lags behind.
 *
 * A creation that failed without a clear refusal may or may not have happened. It rejects only after
 * the objects that it may have created have been read and are in the stores, so that a retry decides
 * on the actual state. Informers are not restarted for it: a webhook that fails would make each
 * creation list all objects of the resource.
 *
 * Informers with a label or field selector are not updated: only the server knows whether they
 * select an object.
 */
export class WriteThroughClient extends Client {
  readonly #informers: Informers;
  readonly #signal: AbortSignal;
  readonly #readings = new SharedRuns();
  readonly #writes: WriteObserver | undefined;

  /** Writes are refused after the signal has aborted, for example when leadership is lost. */
  constructor(client: Client, informers: Informers, signal: AbortSignal, writes?: WriteObserver) {
    super(client.transport, client.options);
    this.#informers = informers;
    this.#signal = signal;
    this.#writes = writes;
  }

  override async create<T>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & { readonly namespace?: string | undefined } = {},
  ): Promise<T> {
    this.#signal.throwIfAborted();
    const fromMs = this.#writes?.now() ?? 0;
    try {
      const made = await super.create(resource, object, options);
      this.#writes?.wrote("create", resource, made, fromMs);
      return this.#wrote(resource, made, options);
    } catch (error) {
      const { namespace = options.namespace } = metaOf(object);
      if (mayHaveHappened(error)) await this.#readBack(resource, object, namespace);
      throw error;
    }
  }

  override async update<T>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    this.#signal.throwIfAborted();
    const fromMs = this.#writes?.now() ?? 0;
    const made = await super.update(resource, object, options);
    this.#writes?.wrote("update", resource, made, fromMs);
    return this.#wrote(resource, made, options);
  }

  override async patch<T>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: unknown,
    options: PatchOptions,
  ): Promise<T> {
    this.#signal.throwIfAborted();
    const fromMs = this.#writes?.now() ?? 0;
    const made = await super.patch(resource, ref, patch, options);
    this.#writes?.wrote("update", resource, made, fromMs);
    return this.#wrote(resource, made, options);
  }

  override async updateSubresource<T, S = T>(
    resource: Resource,
    ref: ObjectRef,
    subresource: string,
    body: S,
    options?: WriteOptions,
  ): Promise<T> {
    this.#signal.throwIfAborted();
    const answer = await super.updateSubresource<T, S>(resource, ref, subresource, body, options);
    return this.#wrote(resource as Resource<T>, answer, options);
  }

  override async createSubresource<S, R>(
    resource: Resource,
    ref: ObjectRef,
    subresource: string,
    body: S,
    options?: WriteOptions,
  ): Promise<R> {
    this.#signal.throwIfAborted();
    return super.createSubresource(resource, ref, subresource, body, options);
  }

  override async delete(
    resource: Resource,
    ref: ObjectRef,
    options: RemoveOptions = {},
  ): Promise<unknown> {
    this.#signal.throwIfAborted();
    const fromMs = this.#writes?.now() ?? 0;
    const answer = await super.delete(resource, ref, options);
    this.#writes?.wrote("delete", resource, answer, fromMs);
    if (options.dryRun) return answer;
    const key = refKey(ref);
    for (const { cache } of this.#informers.seeing(resource, ref.namespace)) {
      const held = metaOf(cache.store.getByKey(key));
      const remaining = remainingObject(answer, held);
      if (remaining) cache.written(remaining);
      else cache.deleted(key, uidOf(answer) ?? held.uid ?? "");
    }
    return answer;
  }

  #wrote<T>(resource: Resource<T>, object: T, options: WriteOptions = {}): T {
    const { kind } = object as { kind?: string };
    if (options.dryRun || (kind !== undefined && kind !== resource.kind)) return object;
    const { namespace, deletionTimestamp, finalizers = [] } = metaOf(object);
    for (const { cache } of this.#informers.seeing(resource, namespace)) {
      // The last finalizer is removed, and with it the object.
      const isFree = finalizers.length === 0 && specFinalizersOf(object).length === 0;
      const ends = deletionTimestamp !== undefined && isFree;
      if (ends && isRemovedAtOnce(metaOf(object)))
        cache.deleted(keyOf(object), metaOf(object).uid ?? "");
      else cache.written(object);
    }
    return object;
  }

  /** Stores the objects that may be the result of a creation, as the server has them now. */
  async #readBack(
    resource: Resource,
    object: unknown,
    namespace: string | undefined,
  ): Promise<void> {
    const options = { namespace, ...selectionOf(metaOf(object)), signal: this.#signal };
    const key = JSON.stringify([
      resource.group,
      resource.name,
      namespace,
      selectionOf(metaOf(object)),
    ]);
    await this.#readings.run(key, async () => {
      if (this.#informers.seeing(resource, namespace).next().done) return;
      const items = await this.#listUntilAnswered(resource, options);
      for (const { cache } of this.#informers.seeing(resource, namespace))
        for (const item of items) cache.written(item);
    });
  }

  async #listUntilAnswered(resource: Resource, options: ListOptions): Promise<readonly unknown[]> {
    const backoff = exponentialBackoff({ baseMs: 200, maxMs: 10_000 });
    for (let failures = 1; ; failures++) {
      try {
        return await this.#informers.client.listAll(resource, options);
      } catch (error) {
        this.#signal.throwIfAborted();
        if (isRefusal(error)) return [];
        log.v(failures > 1 ? 0 : 2, "failed to read back a creation", {
          resource: resource.name,
          error: String(error),
        });
        await this.#informers.clock.sleep(backoff(failures), this.#signal);
      }
    }
  }
}

/** Limit of the labels that select objects: more would not fit into a request, and select the same. */
const maxLabels = 16;

/** Selects the objects that may be the result of a creation. */
function selectionOf({ name, labels = {} }: ObjectMeta): SelectOptions {
  if (name) return { fieldSelector: `metadata.name=${name}` };
  // The server chose the name. The labels are the object's own, so a few others have them as well.
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  if (pairs.length === 0) return {};
  return { labelSelector: pairs.sort().slice(0, maxLabels).join(",") };
}

/** Whether the server refuses a list for good, such as of a resource that it no longer serves. */
function isRefusal(error: unknown): boolean {
  return isStatusError(error) && error.code < 500 && !passingCodes.has(error.code);
}

/** The codes of refusals that end: of expired credentials, of roles that are not there yet, of a busy server. */
const passingCodes: ReadonlySet<number> = new Set([401, 403, 408, 410, 429]);

/** Whether an error leaves open if the write happened. */
function mayHaveHappened(error: unknown): boolean {
  return (
    (isConnectionError(error) && error.code !== "ECONNREFUSED") ||
    (isStatusError(error) && error.code >= 500)
  );
}

/** The finalizers in the spec of a Namespace. */
function specFinalizersOf(object: unknown): readonly string[] {
  return (object as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers ?? [];
}

/** An object without finalizers and grace period is removed with this change. */
function isRemovedAtOnce({ deletionGracePeriodSeconds = 0 }: ObjectMeta): boolean {
  return deletionGracePeriodSeconds === 0;
}

/**
 * The object if it still exists after the deletion: it waits for its grace period or its
 * finalizers.
 */
function remainingObject(answer: unknown, held: ObjectMeta): object | undefined {
  const { kind } = answer as { kind?: string };
  const { resourceVersion = "", deletionTimestamp } = metaOf(answer);
  if (kind === "Status" || deletionTimestamp === undefined) return undefined;
  if (held.deletionTimestamp !== undefined) return answer as object;
  const newer = compareVersions(resourceVersion, held.resourceVersion ?? "") > 0;
  return newer ? (answer as object) : undefined;
}

function uidOf(answer: unknown): string | undefined {
  return (answer as Status).details?.uid ?? metaOf(answer).uid;
}
