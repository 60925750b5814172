import { randomInt, randomUUID } from "node:crypto";
import { generateName, type RandomInt } from "#/machinery/meta/generate-name.ts";
import {
  alreadyExists,
  conflict,
  generateNameConflict,
  internalError,
  isAlreadyExists,
  notFound,
  type StatusError,
} from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { randomInt as drawInt, drawUuid, type Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { inPace } from "../model/pace.ts";
import { type DeleteOptions, planDeletion } from "./deletion.ts";
import { type Feed, registryPrefix } from "./feed.ts";
import { KeptSnapshots } from "./kept-snapshots.ts";
import { checkNew, fillSystemFields, wipeSystemFields } from "./object-lifecycle.ts";
import { failedPrecondition, invalidObject, refuseVersion } from "./object-version.ts";
import { replaceObject, type Validate } from "./replace-object.ts";
import { settleWrite, type Try, type Won } from "./settle-write.ts";
import type { Origin } from "./sharing/shared-values.ts";
import type { StoredCodec, StoredObject } from "./stored-object.ts";
import { StoredWrites } from "./stored-writes.ts";
import type { ApiObject, Declaration, RequestContext } from "./strategy.ts";
import type { Snapshot, WatchCache } from "./watch-cache.ts";

interface StoreOptions {
  readonly declaration: Declaration;
  readonly codec: StoredCodec;
  readonly storage: Storage;
  readonly feed: Feed;
  readonly clock: Clock;
  /** Source of generated names and uids; default is the machine's secure source. */
  readonly random?: Random | undefined;
}

/** Makes the new object from the current one (undefined when there is none). Called again after a lost race. */
type Transform = (old: ApiObject | undefined) => MaybePromise<ApiObject>;

interface UpdateOptions {
  readonly name: string;
  /** The uid that the object must have; "" for any. */
  readonly uid?: string;
  readonly transform: Transform;
  readonly validateCreate: Validate;
  readonly validateUpdate: Validate;
  /** Server-side apply creates a missing object. */
  readonly forceCreate?: boolean;
  /** The hooks of a subresource instead of the resource's own. */
  readonly hooks?: Declaration;
}

/** The error for an unsafe deletion of an object that can be read. */
const readable = "unsafe deletion is not allowed because the object is decodable from storage";
/** Limit of random names that create tries (count). */
const generateNameAttempts = 8;

/**
 * The objects of one resource: hooks, optimistic concurrency and persistence, the same for every kind. Reads use the
 * watch cache, which is as new as the last acknowledged write.
 */
export class Store {
  readonly declaration: Declaration;
  readonly codec: StoredCodec;
  readonly prefix: string;
  readonly #storage: Storage;
  readonly #feed: Feed;
  readonly clock: Clock;
  readonly #randomInt: RandomInt;
  readonly #newUid: () => string;
  readonly #writes: StoredWrites;
  readonly #snapshots: KeptSnapshots;
  readonly #closeListeners = new Set<() => void>();
  /** Events sent to watchers since the last call. */
  eventsSent = 0;
  #cache: WatchCache | undefined;

  constructor(options: StoreOptions) {
    const { declaration, codec, storage, feed, clock, random } = options;
    this.#randomInt = random ? (limit) => drawInt(random, limit) : randomInt;
    this.#newUid = random ? () => drawUuid(random) : randomUUID;
    this.declaration = declaration;
    this.codec = codec;
    this.prefix = `${registryPrefix}${declaration.storageName ?? declaration.handle.name}/`;
    this.#storage = storage;
    this.#feed = feed;
    this.clock = clock;
    this.#snapshots = new KeptSnapshots(clock);
    this.#writes = new StoredWrites({
      declaration,
      codec,
      storage,
      feed,
      clock,
      keyOf: (namespace, name) => this.prefix + this.itemKey(namespace, name),
      findCached: (key) => this.cache.find(this.cache.itemKey(key)),
    });
  }

  /** Fills the cache; to be called before anything else. */
  async open(): Promise<void> {
    const { indexedField } = this.declaration;
    this.#cache = await this.#feed.attach({
      prefix: this.prefix,
      codec: this.codec,
      ...(indexedField ? { indexedValue: (object) => object.fieldValue(indexedField) ?? "" } : {}),
    });
  }

  /** Drops the cache when a custom resource is removed or changed; its watches end. */
  close(): void {
    this.#feed.detach(this.prefix, this.#cache);
    this.#snapshots[Symbol.dispose]();
    for (const listener of this.#closeListeners) listener();
  }

  /** Calls the listener when the store closes. */
  onClose(listener: () => void): Disposable {
    this.#closeListeners.add(listener);
    return { [Symbol.dispose]: () => this.#closeListeners.delete(listener) };
  }

  get cache(): WatchCache {
    if (!this.#cache)
      throw internalError(new Error(`${this.declaration.handle.name} are not ready`));
    return this.#cache;
  }

  get storage(): Storage {
    return this.#storage;
  }

  itemKey(namespace: string, name: string): string {
    return this.declaration.handle.namespaced ? `${namespace}/${name}` : name;
  }

  /** The newest version, or undefined. */
  async find(namespace: string, name: string): Promise<StoredObject | undefined> {
    await this.freshen();
    return this.findCached(namespace, name);
  }

  /** The cached version, which may lag behind writes of other API servers. */
  findCached(namespace: string, name: string): StoredObject | undefined {
    return this.cache.find(this.itemKey(namespace, name));
  }

  async get(namespace: string, name: string): Promise<StoredObject> {
    const found = await this.find(namespace, name);
    if (!found) throw notFound(this.declaration.handle, name);
    return found;
  }

  /** Waits until the cache holds every write that was acknowledged before this call, by any API server. */
  freshen(): MaybePromise<unknown> {
    return this.#storage.exclusive ? undefined : this.#feed.catchUp();
  }

  /** Keeps a snapshot for the next pages of a list, until newer ones replace it. */
  keepSnapshot(snapshot: Snapshot): void {
    this.#snapshots.keep(snapshot);
  }

  /** The objects as they were at a revision, if they are in memory. */
  findSnapshot(revision: number): Snapshot | undefined {
    const { cache } = this;
    return revision === cache.revision ? cache.snapshot() : this.#snapshots.find(revision);
  }

  /** Waits until the cache has seen a revision. */
  waitUntil(revision: number, timeoutMs?: number): MaybePromise<boolean> {
    return this.#feed.waitUntil(revision, timeoutMs);
  }

  /** Stores a new object and takes ownership of it. `origin` is the value that its common field came from. */
  async create(
    object: ApiObject,
    validate: Validate,
    context: RequestContext,
    origin?: Origin,
  ): Promise<StoredObject> {
    const { metadata } = object;
    if (metadata.resourceVersion && !context.dryRun) refuseVersion(metadata.resourceVersion);
    if (metadata.name || !metadata.generateName) {
      return this.#createOnce(object, validate, context, origin);
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#createOnce(deepCopy(object), validate, context, origin);
      } catch (error) {
        if (!isAlreadyExists(error) || attempt === generateNameAttempts) throw error;
      }
    }
  }

  /** Replaces an object, or creates it if that is allowed. */
  async update(
    { name, uid, transform, validateCreate, validateUpdate, forceCreate, hooks }: UpdateOptions,
    context: RequestContext,
  ): Promise<{ object: StoredObject; created: boolean }> {
    const declaration = hooks ?? this.declaration;
    return this.#settle(declaration, name, context, async (basis) => {
      const { current } = basis;
      if (!current) {
        if (!declaration.allowCreateOnUpdate && !forceCreate)
          throw notFound(declaration.handle, name);
        const object = await transform(undefined);
        wipeSystemFields(object.metadata);
        return { object: await this.#createOnce(object, validateCreate, context), created: true };
      }
      const { uid: actual } = current.parsed().metadata;
      if (uid && uid !== actual) {
        const key = context.dryRun ? current.key.slice(registryPrefix.length - 1) : current.key;
        const detail = failedPrecondition(key, "UID", { wanted: uid, actual });
        throw conflict(declaration.handle, name, detail);
      }
      const object = await transform(current.parsed());
      const step = { declaration, object, current, basis, validate: validateUpdate, context };
      const outcome = await replaceObject(this.#writes, step);
      return outcome.object ? { object: outcome.object, created: false } : outcome;
    });
  }

  /** Deletes an object, or begins its deletion. */
  async delete(
    name: string,
    options: DeleteOptions,
    validate: Validate,
    context: RequestContext,
  ): Promise<{ object: StoredObject; removed: boolean }> {
    return this.#settle(this.declaration, name, context, async (basis) => {
      const { current } = basis;
      if (!current) throw notFound(this.declaration.handle, name);
      if (options.ignoreStoreReadErrorWithClusterBreakingPotential) {
        throw conflict(this.declaration.handle, name, invalidObject(current.key, readable));
      }
      const object = withOwnMetadata(current.parsed());
      const plan = planDeletion(this.declaration, object, options, this.clock.now());
      if (plan === "pending") return { object: current, removed: false };
      await validate(undefined, current.parsed());
      if (plan === "update") this.declaration.onDeleteBegun?.(object);
      const removed = plan === "remove" && (this.declaration.mayRemove?.(object) ?? true);
      if (!removed && deepEqual(object, current.parsed())) return { object: current, removed };
      basis.isCertain = true;
      const outcome = removed
        ? await this.#writes.remove(object, current, context)
        : await this.#writes.write(object, current.revision, context, current);
      return outcome.object ? { object: outcome.object, removed } : outcome;
    });
  }

  /** Attempts a write on the cached version first: the store detects if that is out of date. */
  async #settle<T extends Won>(
    { handle }: Declaration,
    name: string,
    context: RequestContext,
    attempt: Try<T>,
  ): Promise<T> {
    const cached = this.findCached(context.namespace, name);
    const isCertain = this.#storage.exclusive;
    const asks = !isCertain && (context.dryRun || !cached);
    const read = () => this.#writes.read(context.namespace, name, cached);
    const first = asks
      ? { current: await read(), isCertain: true }
      : { current: cached, isCertain };
    const settled = await settleWrite(first, read, attempt);
    if (settled === undefined) throw conflict(handle, name);
    return settled;
  }

  async #createOnce(
    object: ApiObject,
    validate: Validate,
    context: RequestContext,
    origin?: Origin,
  ): Promise<StoredObject> {
    const { metadata } = object;
    const generated = !metadata.name && metadata.generateName !== undefined;
    fillSystemFields(object, context.now, this.#newUid());
    if (generated) metadata.name = generateName(metadata.generateName ?? "", this.#randomInt);
    const claim = await this.declaration.beginCreate?.(object, context);
    try {
      if (context.pace?.isLarge) await context.pace.rest("validation");
      this.declaration.prepareForCreate?.(object, context);
      const shared = this.codec.share?.(object, origin);
      const checked = inPace(
        context.pace,
        "validation",
        checkNew(this.declaration, object, context, shared),
      );
      if (checked) await checked;
      if (context.pace?.isLarge) await context.pace.rest("validating admission");
      await validate(object, undefined);
      if (context.pace?.isLarge) await context.pace.rest("encoding");
      const outcome = await this.#writes.create(object, context, shared);
      if (!outcome.object) throw this.#nameTaken(object, outcome.current, generated);
      await claim?.commit();
      return outcome.object;
    } catch (error) {
      await claim?.rollback();
      throw error;
    }
  }

  #nameTaken(
    object: ApiObject,
    current: StoredObject | undefined,
    generated: boolean,
  ): StatusError {
    const { handle } = this.declaration;
    const name = object.metadata.name ?? "";
    const error = generated ? generateNameConflict(handle, name, 1) : alreadyExists(handle, name);
    if (current?.parsed().metadata.deletionTimestamp === undefined) return error;
    error.status.message = `object is being deleted: ${error.status.message}`;
    return error;
  }
}

/** The object with metadata that may be changed; all other fields are shared. */
function withOwnMetadata(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata } };
}
