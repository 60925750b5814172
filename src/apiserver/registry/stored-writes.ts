import type { WrittenField } from "#/machinery/codec/json/encode-fields.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import type { Clock } from "#/std/time/clock.ts";
import { isAsExpected } from "#/storage/base/expectation.ts";
import type { Entry, Expectation, Guard, Storage, WriteResult } from "#/storage/base/storage.ts";
import { inPace, type Pace } from "../model/pace.ts";
import { Commit } from "../model/trail.ts";
import type { Feed } from "./feed.ts";
import type { Lost, Won } from "./settle-write.ts";
import type { SharedValue } from "./sharing/shared-values.ts";
import { type StoredCodec, StoredObject } from "./stored-object.ts";
import type { ApiObject, Declaration, RequestContext } from "./strategy.ts";
import { type GuardedWrite, writeInTerm } from "./terms/write-in-term.ts";

interface StoredWritesOptions {
  readonly declaration: Declaration;
  readonly codec: StoredCodec;
  readonly storage: Storage;
  readonly feed: Feed;
  readonly clock: Clock;
  /** The storage key of an object. */
  readonly keyOf: (namespace: string, name: string) => string;
  /** The watch cache's entry for a key. */
  readonly findCached: (key: string) => StoredObject | undefined;
}

/** A write that was done, or the reason why it was not. */
export type Outcome = Won | Lost;

/** Writes the objects of one resource to the store, each on the condition that a version is still the newest. */
export class StoredWrites {
  readonly #options: StoredWritesOptions;

  constructor(options: StoredWritesOptions) {
    this.#options = options;
  }

  /** The store's version; the cached one itself if it is the same. */
  async read(
    namespace: string,
    name: string,
    cached: StoredObject | undefined,
  ): Promise<StoredObject | undefined> {
    const { storage, keyOf } = this.#options;
    const { entry } = await storage.get(keyOf(namespace, name));
    if (!entry) return undefined;
    return entry.modRevision === cached?.revision ? cached : this.#fromEntry(entry);
  }

  /** Stores a new object, one of whose fields may be shared with others. */
  create(
    object: ApiObject,
    context: RequestContext,
    shared: SharedValue | undefined,
  ): Promise<Outcome> {
    const written: WrittenField | undefined =
      shared && ((_name, value) => (value === shared.value ? shared.bytes : undefined));
    return this.#write(object, "absent", context, { current: undefined, written });
  }

  /** Replaces the current object. */
  write(
    object: ApiObject,
    expect: Expectation,
    context: RequestContext,
    current: StoredObject,
  ): Promise<Outcome> {
    return this.#write(object, expect, context, { current, written: writtenBefore(current) });
  }

  async #write(
    object: ApiObject,
    expect: Expectation,
    context: RequestContext,
    { current, written }: { current: StoredObject | undefined; written: WrittenField | undefined },
  ): Promise<Outcome> {
    const { declaration, codec, storage, feed, clock, keyOf } = this.#options;
    delete object.metadata.resourceVersion;
    // The server's own writes may leave out kind and apiVersion.
    object.kind ??= declaration.handle.kind;
    object.apiVersion ??= apiVersionOf(declaration.handle);
    const key = keyOf(object.metadata.namespace ?? "", object.metadata.name ?? "");
    const { bytes: value, places } = context.pace?.isLarge
      ? await inPace(context.pace, "encoding", codec.encodeSteps(object, written))
      : codec.encode(object, written);
    if (context.pace?.isLarge) await context.pace.rest("storing");
    if (context.dryRun) return this.#dryRun(object, key, value, current);
    const ttlSeconds = declaration.timeToLiveSeconds?.(object);
    feed.remember(value, { object, places });
    const commit = this.#committing(context, object, current ? "update" : "create");
    const options = { expect, ...(ttlSeconds ? { ttlSeconds } : {}) };
    const put = (guard?: Guard) => storage.put(key, value, guard ? { ...options, guard } : options);
    const result = await this.#inTerm(context, put, {
      key,
      outcomeIn: (entry, revision) =>
        this.#outcomeOfPut({ value, object, expect }, entry, revision),
    });
    commit?.durable(clock.monotonicMs());
    const outcome = await this.#outcome(result, { key, value, object });
    if (outcome.object) commit?.done(outcome.object, clock.monotonicMs());
    return outcome;
  }

  /** Removes the current object; `last` is its final state. */
  async remove(
    object: ApiObject,
    current: StoredObject,
    context: RequestContext,
  ): Promise<Outcome> {
    const { declaration, codec, storage, feed, clock } = this.#options;
    delete object.metadata.resourceVersion;
    const { bytes: value } = codec.encode(object, writtenBefore(current));
    const removedAt = (modRevision: number) =>
      new StoredObject({ key: current.key, value, modRevision }, codec);
    if (context.dryRun) return { object: removedAt(current.revision) };
    const commit = this.#committing(context, object, "remove");
    const { key, revision: expect } = current;
    const remove = (guard?: Guard) => storage.delete(key, guard ? { expect, guard } : { expect });
    const result = await this.#inTerm(context, remove, {
      key,
      outcomeIn: (entry, revision) => {
        if (entry?.modRevision === expect) return undefined;
        return entry ? { done: false, current: entry, revision } : { done: true, revision };
      },
    });
    if (!result.done) return this.#outcome(result, undefined);
    commit?.durable(clock.monotonicMs());
    await feed.waitUntil(result.revision);
    const removed = removedAt(result.revision);
    commit?.done(removed, clock.monotonicMs());
    await declaration.afterDelete?.(object, context);
    return { object: removed };
  }

  /**
   * Whether the stored bytes differ from those that would be written now for the same content: an older version or an
   * older encryption key. Upstream: staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go (origState.stale).
   */
  async isStale(stored: StoredObject, pace?: Pace): Promise<boolean> {
    const { key, revision } = stored;
    const { codec, storage } = this.#options;
    if (await storage.isStale?.(key)) return true;
    const { entry } = await storage.get(key);
    if (entry?.modRevision !== revision) return true;
    const object = stored.parsed();
    const { resourceVersion: _, ...metadata } = object.metadata;
    const steps = codec.encodeSteps({ ...object, metadata });
    const { bytes } = await inPace(pace, "comparison", steps);
    return Buffer.compare(entry.value, bytes) !== 0;
  }

  /** A write of a leader is done within its term only. */
  #inTerm(
    { term }: RequestContext,
    send: (guard?: Guard) => Promise<WriteResult>,
    rest: Omit<GuardedWrite, "send">,
  ): Promise<WriteResult> {
    return term ? writeInTerm(term, this.#options.storage, { ...rest, send }) : send();
  }

  /** What has become of a put that can no longer be done; undefined if it was not and can be sent again. */
  #outcomeOfPut(
    { value, object, expect }: { value: Uint8Array; object: ApiObject; expect: Expectation },
    entry: Entry | undefined,
    revision: number,
  ): WriteResult | undefined {
    if (isAsExpected(entry, expect)) return undefined;
    if (!entry) return { done: false, current: undefined, revision };
    if (Buffer.compare(entry.value, value) === 0)
      return { done: true, revision: entry.modRevision };
    // Others may have changed it since it was made.
    const isMade =
      expect === "absent" && this.#fromEntry(entry).parsed().metadata.uid === object.metadata.uid;
    if (isMade) return { done: true, revision: entry.createRevision };
    return { done: false, current: entry, revision };
  }

  /** Begins the record of a write on the request's trail. */
  #committing(
    { trail }: RequestContext,
    { metadata }: ApiObject,
    verb: Commit["verb"],
  ): Commit | undefined {
    if (!trail) return undefined;
    const { declaration, clock } = this.#options;
    const { handle: resource } = declaration;
    return new Commit(trail, { resource, metadata, verb }, clock.monotonicMs());
  }

  #dryRun(
    object: ApiObject,
    key: string,
    value: Uint8Array,
    current: StoredObject | undefined,
  ): Outcome {
    const existing = this.#options.findCached(key);
    if (!current && existing) return { object: undefined, current: existing };
    if (current) object.metadata.resourceVersion = String(current.revision);
    const entry = { key, value, modRevision: current?.revision ?? 0 };
    return { object: new StoredObject(entry, this.#options.codec, object) };
  }

  async #outcome(
    result: WriteResult,
    written: { key: string; value: Uint8Array; object: ApiObject } | undefined,
  ): Promise<Outcome> {
    const { codec, feed, findCached } = this.#options;
    if (!result.done) {
      const current = result.current && this.#fromEntry(result.current);
      return { object: undefined, current };
    }
    await feed.waitUntil(result.revision);
    if (!written) return { object: undefined, current: undefined };
    const cached = findCached(written.key);
    if (cached?.revision === result.revision) return { object: cached };
    const { metadata } = written.object;
    const resourceVersion = String(result.revision);
    // It has that version, and is shared, if the event of the write was seen before one of a later write.
    if (metadata.resourceVersion !== resourceVersion) metadata.resourceVersion = resourceVersion;
    const entry = { ...written, modRevision: result.revision };
    return { object: new StoredObject(entry, codec, written.object) };
  }

  #fromEntry(entry: Entry): StoredObject {
    return new StoredObject(entry, this.#options.codec);
  }
}

const writtenBefore = (current: StoredObject | undefined): WrittenField | undefined =>
  current && ((name, value) => current.writtenField(name, value));
