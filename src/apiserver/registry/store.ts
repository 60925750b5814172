import { randomInt } from "node:crypto";
import { keepTimes } from "#/machinery/apply/keep-times.ts";
import type { WrittenField } from "#/machinery/codec/encode-fields.ts";
import { deepCopy } from "#/machinery/deep-copy.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { invalid as invalidField } from "#/machinery/field-error.ts";
import { fieldPath } from "#/machinery/field-path.ts";
import { generateName } from "#/machinery/generate-name.ts";
import type { JsonObject } from "#/machinery/patch/json-value.ts";
import {
  alreadyExists,
  conflict,
  generateNameConflict,
  internalError,
  invalid,
  isAlreadyExists,
  notFound,
  type StatusError,
} from "#/machinery/status-error.ts";
import type { Clock } from "#/std/clock.ts";
import type { Entry, Expectation, Storage, WriteResult } from "#/storage/storage.ts";
import { type DeleteOptions, planDeletion } from "./deletion.ts";
import { type Feed, registryPrefix } from "./feed.ts";
import {
  beforeUpdate,
  checkNew,
  completesDeletion,
  fillSystemFields,
  permitUpdate,
  wipeSystemFields,
} from "./object-lifecycle.ts";
import {
  failedPrecondition,
  invalidObject,
  parseVersion,
  refuseVersion,
} from "./object-version.ts";
import { apiVersionOf } from "./served-resource.ts";
import { type Basis, type Lost, settleWrite, type Try, type Won } from "./settle-write.ts";
import { type StoredCodec, StoredObject } from "./stored-object.ts";
import type { ApiObject, Claim, Declaration, RequestContext } from "./strategy.ts";
import type { Snapshot, WatchCache } from "./watch-cache.ts";

export interface StoreOptions {
  readonly declaration: Declaration;
  readonly codec: StoredCodec;
  readonly storage: Storage;
  readonly feed: Feed;
  readonly clock: Clock;
}

/** Validating admission, which sees the object as it would be stored. */
export type Validate = (
  object: ApiObject | undefined,
  old: ApiObject | undefined,
) => Promise<void> | void;

/** Makes the new object from the current one (undefined when there is none). Called again after a lost race. */
export type Transform = (old: ApiObject | undefined) => Promise<ApiObject> | ApiObject;

export interface UpdateOptions {
  readonly name: string;
  /** The object must be this very one; "" for whichever has the name. */
  readonly uid?: string;
  readonly transform: Transform;
  readonly validateCreate: Validate;
  readonly validateUpdate: Validate;
  /** Server-side apply creates what isn't there. */
  readonly forceCreate?: boolean;
  /** The hooks of a subresource instead of the resource's own. */
  readonly hooks?: Declaration;
}

/** What an unsafe deletion is told of an object that needs none. */
const readable = "unsafe deletion is not allowed because the object is decodable from storage";
/** How often create tries another random name before it gives up. */
const generateNameAttempts = 8;
/** Snapshots of a resource kept for paginated lists under way; others are read from the store's history. */
const snapshotsKept = 16;
/** A list that takes longer than this to be read page by page has expired, as upstream's compaction has it. */
const snapshotKeptMs = 5 * 60_000;

/**
 * The objects of one resource: hooks, optimistic concurrency and persistence, for every kind alike. Reads come from
 * the watch cache, which is as new as the last acknowledged write.
 */
export class Store {
  readonly declaration: Declaration;
  readonly codec: StoredCodec;
  readonly prefix: string;
  readonly #storage: Storage;
  readonly #feed: Feed;
  readonly #clock: Clock;
  readonly #snapshots = new Map<number, { readonly snapshot: Snapshot; readonly since: number }>();
  readonly #closeListeners = new Set<() => void>();
  /** Events sent to watchers since somebody last asked. */
  eventsSent = 0;
  #cache: WatchCache | undefined;

  constructor({ declaration, codec, storage, feed, clock }: StoreOptions) {
    this.declaration = declaration;
    this.codec = codec;
    this.prefix = `${registryPrefix}${declaration.storageName ?? declaration.handle.name}/`;
    this.#storage = storage;
    this.#feed = feed;
    this.#clock = clock;
  }

  /** Fills the cache; nothing works before. */
  async open(): Promise<void> {
    const { indexedField } = this.declaration;
    this.#cache = await this.#feed.attach({
      prefix: this.prefix,
      codec: this.codec,
      ...(indexedField ? { indexedValue: (object) => object.fieldValue(indexedField) ?? "" } : {}),
    });
  }

  /** Forgets the cache, when a custom resource goes or changes; watches of it end. */
  close(): void {
    this.#feed.detach(this.prefix, this.#cache);
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
    const pending = this.freshen();
    if (pending !== true) await pending;
    return this.findCached(namespace, name);
  }

  /** What the cache has, which may lag behind other API servers' writes. */
  findCached(namespace: string, name: string): StoredObject | undefined {
    return this.cache.find(this.itemKey(namespace, name));
  }

  async get(namespace: string, name: string): Promise<StoredObject> {
    const found = await this.find(namespace, name);
    if (!found) throw notFound(this.declaration.handle, name);
    return found;
  }

  /** Makes sure that the cache holds every write that was acknowledged before this call, by whatever server. */
  freshen(): Promise<unknown> | true {
    return this.#storage.exclusive ? true : this.#feed.catchUp();
  }

  /** Keeps a snapshot for the next pages of a list, until newer ones take its place. */
  keepSnapshot(snapshot: Snapshot): void {
    const since = this.#snapshots.get(snapshot.revision)?.since ?? this.#clock.monotonicMs();
    this.#snapshots.delete(snapshot.revision);
    this.#snapshots.set(snapshot.revision, { snapshot, since });
    const oldest = this.#snapshots.keys().next().value;
    if (this.#snapshots.size > snapshotsKept && oldest !== undefined) {
      this.#snapshots.delete(oldest);
    }
  }

  /** The objects as they were at a revision, if that needs no reading. */
  findSnapshot(revision: number): Snapshot | undefined {
    if (revision === this.cache.revision) return this.cache.snapshot();
    const kept = this.#snapshots.get(revision);
    if (!kept || this.#clock.monotonicMs() - kept.since < snapshotKeptMs) return kept?.snapshot;
    this.#snapshots.delete(revision);
    return undefined;
  }

  /** Waits until the cache has seen a revision. */
  waitUntil(revision: number, timeoutMs?: number): Promise<boolean> | true {
    return this.#feed.waitUntil(revision, timeoutMs);
  }

  /** Stores a new object. It belongs to the store from now on. */
  async create(
    object: ApiObject,
    validate: Validate,
    context: RequestContext,
  ): Promise<StoredObject> {
    const { metadata } = object;
    if (metadata.resourceVersion && !context.dryRun) refuseVersion(metadata.resourceVersion);
    if (metadata.name || !metadata.generateName) return this.#createOnce(object, validate, context);
    for (let attempt = 1; ; attempt++) {
      try {
        const copy = this.codec.copy?.(object) ?? deepCopy(object);
        return await this.#createOnce(copy, validate, context);
      } catch (error) {
        if (!isAlreadyExists(error) || attempt === generateNameAttempts) throw error;
      }
    }
  }

  /** Replaces an object, or creates it where that is allowed. */
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
        wipeSystemFields(object);
        return { object: await this.#createOnce(object, validateCreate, context), created: true };
      }
      const { uid: actual } = current.object.metadata;
      if (uid && uid !== actual) {
        const key = context.dryRun ? current.key.slice(registryPrefix.length - 1) : current.key;
        const detail = failedPrecondition(key, "UID", { wanted: uid, actual });
        throw conflict(declaration.handle, name, detail);
      }
      const object = await transform(current.object);
      const step = { declaration, object, current, basis, validate: validateUpdate, context };
      const outcome = await this.#replace(step);
      return outcome.object ? { object: outcome.object, created: false } : outcome;
    });
  }

  /** Deletes an object, or begins to. */
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
      const object = withOwnMetadata(current.object);
      const plan = planDeletion(this.declaration, object, options, this.#clock.now());
      if (plan === "pending") return { object: current, removed: false };
      await validate(undefined, current.object);
      if (plan === "update") this.declaration.onDeleteBegun?.(object);
      const removed = plan === "remove" && (this.declaration.mayRemove?.(object) ?? true);
      if (!removed && deepEqual(object, current.object)) return { object: current, removed };
      basis.isCertain = true;
      const outcome = removed
        ? await this.#remove(object, current, context)
        : await this.#write(object, current.revision, context, current);
      return outcome.object ? { object: outcome.object, removed } : outcome;
    });
  }

  /** Tries to write, with what the cache has first: the store finds out if that is out of date. */
  async #settle<T extends Won>(
    { handle }: Declaration,
    name: string,
    context: RequestContext,
    attempt: Try<T>,
  ): Promise<T> {
    const cached = this.findCached(context.namespace, name);
    const isCertain = this.#storage.exclusive;
    const asks = !isCertain && (context.dryRun || !cached);
    const read = () => this.#read(context.namespace, name, cached);
    const first = asks
      ? { current: await read(), isCertain: true }
      : { current: cached, isCertain };
    const settled = await settleWrite(first, read, attempt);
    if (settled === undefined) throw conflict(handle, name);
    return settled;
  }

  /** What the store has; the cached version itself if it is that one. */
  async #read(
    namespace: string,
    name: string,
    cached: StoredObject | undefined,
  ): Promise<StoredObject | undefined> {
    const { entry } = await this.#storage.get(this.prefix + this.itemKey(namespace, name));
    if (!entry) return undefined;
    return entry.modRevision === cached?.revision ? cached : this.#fromEntry(entry);
  }

  async #createOnce(
    object: ApiObject,
    validate: Validate,
    context: RequestContext,
  ): Promise<StoredObject> {
    const { metadata } = object;
    const generated = !metadata.name && metadata.generateName !== undefined;
    fillSystemFields(object, context.now);
    if (generated) metadata.name = generateName(metadata.generateName ?? "", randomInt);
    const claim = await this.declaration.beginCreate?.(object, context);
    try {
      this.declaration.prepareForCreate?.(object, context);
      this.codec.share?.(object);
      checkNew(this.declaration, object, context);
      await validate(object, undefined);
      const outcome = await this.#write(object, "absent", context, undefined);
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
    if (current?.object.metadata.deletionTimestamp === undefined) return error;
    error.status.message = `object is being deleted: ${error.status.message}`;
    return error;
  }

  async #replace(step: ReplaceStep): Promise<Outcome> {
    const { declaration, object, current, validate, context } = step;
    this.#checkVersion(declaration, object, current);
    const claim: Claim | undefined = await declaration.beginUpdate?.(
      object,
      current.object,
      context,
    );
    try {
      beforeUpdate(declaration, object, current.object, context);
      if (declaration.permitUpdate)
        await permitUpdate(declaration, object, current.object, context);
      await validate(object, current.object);
      const outcome = await this.#writeOrRemove(step);
      if (outcome.object) await claim?.commit();
      else await claim?.rollback();
      return outcome;
    } catch (error) {
      await claim?.rollback();
      throw error;
    }
  }

  async #writeOrRemove(step: ReplaceStep): Promise<Outcome> {
    const { declaration, object, current, basis, context } = step;
    if (completesDeletion(object, current.object) && (declaration.mayRemove?.(object) ?? true)) {
      basis.isCertain = true;
      const outcome = await this.#remove(object, current, context);
      // The answer is to an update, which made no version of its own.
      return outcome.object ? { object: outcome.object.at(current.revision) } : outcome;
    }
    object.metadata.resourceVersion = String(current.revision);
    const next = keepTimes(
      current.object as unknown as JsonObject,
      object as unknown as JsonObject,
    );
    const same = deepEqual(next, current.object);
    const leaves = same && (context.dryRun || !(await this.#isStale(current)));
    // Either way the store has been asked, or is.
    basis.isCertain = true;
    if (leaves) return { object: current };
    return this.#write(next as unknown as ApiObject, current.revision, context, current);
  }

  /**
   * Whether what is stored is not what would be written now, though it means the same: in an older version, or with an
   * older key; or else it is another version. Upstream: apiserver/pkg/storage/etcd3/store.go (origState.stale).
   */
  async #isStale({ key, object, revision }: StoredObject): Promise<boolean> {
    if (await this.#storage.isStale?.(key)) return true;
    const { entry } = await this.#storage.get(key);
    if (entry?.modRevision !== revision) return true;
    const { resourceVersion: _, ...metadata } = object.metadata;
    return Buffer.compare(entry.value, this.codec.encode({ ...object, metadata }).bytes) !== 0;
  }

  /** An update that names a version must name the current one, and some kinds must name one. */
  #checkVersion(declaration: Declaration, object: ApiObject, current: StoredObject): void {
    const { handle } = declaration;
    const { resourceVersion, name = "" } = object.metadata;
    if (!resourceVersion || resourceVersion === "0") {
      if (declaration.allowUnconditionalUpdate !== false) {
        object.metadata.resourceVersion = String(current.revision);
        return;
      }
      const path = fieldPath("metadata", "resourceVersion");
      const error = invalidField(path, 0, "must be specified for an update");
      throw invalid({ group: handle.group, kind: handle.name }, name, [error]);
    }
    if (resourceVersion === String(current.revision)) return;
    parseVersion(resourceVersion);
    throw conflict(handle, name);
  }

  async #write(
    object: ApiObject,
    expect: Expectation,
    context: RequestContext,
    current: StoredObject | undefined,
  ): Promise<Outcome> {
    delete object.metadata.resourceVersion;
    // The server's own writes may leave out what every stored object says of itself.
    object.kind ??= this.declaration.handle.kind;
    object.apiVersion ??= apiVersionOf(this.declaration.handle);
    const key =
      this.prefix + this.itemKey(object.metadata.namespace ?? "", object.metadata.name ?? "");
    const { bytes: value, places } = this.codec.encode(object, writtenBefore(current));
    if (context.dryRun) return this.#dryRun(object, key, value, current);
    const ttlSeconds = this.declaration.timeToLiveSeconds?.(object);
    this.#feed.remember(value, { object, places });
    const result = await this.#storage.put(key, value, {
      expect,
      ...(ttlSeconds ? { ttlSeconds } : {}),
    });
    return this.#outcome(result, { key, value, object });
  }

  async #remove(
    object: ApiObject,
    current: StoredObject,
    context: RequestContext,
  ): Promise<Outcome> {
    delete object.metadata.resourceVersion;
    const { bytes: value } = this.codec.encode(object, writtenBefore(current));
    const removedAt = (modRevision: number) =>
      new StoredObject({ key: current.key, value, modRevision }, this.codec);
    if (context.dryRun) return { object: removedAt(current.revision) };
    const result = await this.#storage.delete(current.key, { expect: current.revision });
    if (!result.done) return this.#outcome(result, undefined);
    await this.#feed.waitUntil(result.revision);
    await this.declaration.afterDelete?.(object, context);
    return { object: removedAt(result.revision) };
  }

  #dryRun(
    object: ApiObject,
    key: string,
    value: Uint8Array,
    current: StoredObject | undefined,
  ): Outcome {
    const existing = this.cache.find(this.cache.itemKey(key));
    if (!current && existing) return { object: undefined, current: existing };
    if (current) object.metadata.resourceVersion = String(current.revision);
    return {
      object: new StoredObject(
        { key, value, modRevision: current?.revision ?? 0 },
        this.codec,
        object,
      ),
    };
  }

  async #outcome(
    result: WriteResult,
    written: { key: string; value: Uint8Array; object: ApiObject } | undefined,
  ): Promise<Outcome> {
    if (!result.done) {
      const current = result.current && this.#fromEntry(result.current);
      return { object: undefined, current };
    }
    const pending = this.#feed.waitUntil(result.revision);
    if (pending !== true) await pending;
    if (!written) return { object: undefined, current: undefined };
    const cached = this.cache.find(this.cache.itemKey(written.key));
    if (cached?.revision === result.revision) return { object: cached };
    written.object.metadata.resourceVersion = String(result.revision);
    return {
      object: new StoredObject(
        { ...written, modRevision: result.revision },
        this.codec,
        written.object,
      ),
    };
  }

  #fromEntry(entry: Entry): StoredObject {
    return new StoredObject(entry, this.codec);
  }
}

/** The object with metadata that can be changed; all else is shared. */
function withOwnMetadata(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata } };
}

const writtenBefore = (current: StoredObject | undefined): WrittenField | undefined =>
  current && ((name, value) => current.writtenField(name, value));

/** A write that was done, or what stood in its way. */
type Outcome = Won | Lost;

interface ReplaceStep {
  readonly declaration: Declaration;
  readonly object: ApiObject;
  readonly current: StoredObject;
  readonly basis: Basis;
  readonly validate: Validate;
  readonly context: RequestContext;
}
