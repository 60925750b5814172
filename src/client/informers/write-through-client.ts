import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta, Status } from "#/api/meta/v1.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { Client } from "../client.ts";
import { keyOf, metaOf, refKey } from "../object-key.ts";
import type { PatchOptions, RemoveOptions, WriteOptions } from "../requests.ts";
import type { ObjectRef } from "../resource-path.ts";
import { compareVersions } from "../resource-version.ts";
import { isConnectionError } from "../transport/connection-error.ts";
import type { Informers } from "./informers.ts";

/**
 * A client whose writes are in the informers' stores when they resolve, before the watch's event
 * arrives: a caller that reads a store after a write sees the write. So nothing is created twice
 * because a cache lags behind.
 *
 * A creation without a response may or may not have happened. It rejects only after the resource's
 * informers have listed again, so that a retry decides on the actual state.
 *
 * Informers with a label or field selector are not updated: only the server knows whether they
 * select an object.
 */
export class WriteThroughClient extends Client {
  readonly #informers: Informers;
  readonly #signal: AbortSignal;

  /** Writes are refused after the signal has aborted, for example when leadership is lost. */
  constructor(client: Client, informers: Informers, signal: AbortSignal) {
    super(client.transport, client.options);
    this.#informers = informers;
    this.#signal = signal;
  }

  override async create<T>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & { readonly namespace?: string | undefined } = {},
  ): Promise<T> {
    this.#signal.throwIfAborted();
    try {
      const made = await super.create(resource, object, options);
      return this.#wrote(resource, made, options);
    } catch (error) {
      if (mayHaveHappened(error)) await this.#refresh(resource, metaOf(object).namespace);
      throw error;
    }
  }

  override async update<T>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    this.#signal.throwIfAborted();
    return this.#wrote(resource, await super.update(resource, object, options), options);
  }

  override async patch<T>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: unknown,
    options: PatchOptions,
  ): Promise<T> {
    this.#signal.throwIfAborted();
    return this.#wrote(resource, await super.patch(resource, ref, patch, options), options);
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
    const answer = await super.delete(resource, ref, options);
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

  async #refresh(resource: Resource, namespace: string | undefined): Promise<void> {
    const refreshing = [...this.#informers.seeing(resource, namespace)].map((one) => one.refresh());
    await Promise.all(refreshing);
  }
}

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
