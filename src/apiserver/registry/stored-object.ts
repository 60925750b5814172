import type { Entry } from "#/storage/storage.ts";
import type { ApiObject } from "./strategy.ts";

/** How one resource's objects are written to and read from the store. */
export interface StoredCodec {
  /** The stored form, in JSON, without resourceVersion. */
  encode(object: ApiObject): Uint8Array;
  /** Reads what encode wrote, or what an upstream API server wrote (protobuf, another version). */
  decode(bytes: Uint8Array): ApiObject;
  /** JSON for clients in the stored version, resourceVersion included. */
  encodeJson(object: ApiObject): Uint8Array;
  /**
   * What stored bytes begin with when they are what clients get but for the resourceVersion; absent for custom
   * resources, whose fields are sorted.
   */
  readonly head?: Uint8Array;
}

/**
 * One version of one object: immutable, parsed at most once, encoded at most once per form, shared by all readers.
 * Invariant: nobody changes what `object` returns.
 */
export class StoredObject {
  readonly key: string;
  /** The store's revision of this version: metadata.resourceVersion. */
  readonly revision: number;
  readonly #codec: StoredCodec;
  /** Invariant: at least one of these three is set. */
  #stored: Uint8Array | undefined;
  #json: Uint8Array | undefined;
  #object: ApiObject | undefined;
  #encodings: Map<string, Uint8Array> | undefined;

  constructor(
    entry: Pick<Entry, "key" | "value" | "modRevision">,
    codec: StoredCodec,
    object?: ApiObject,
  ) {
    this.key = entry.key;
    this.revision = entry.modRevision;
    this.#codec = codec;
    this.#stored = entry.value;
    this.#object = object;
  }

  /** The parsed object, with its resourceVersion. */
  get object(): ApiObject {
    if (this.#object === undefined) {
      const bytes = this.#stored ?? this.#json ?? new Uint8Array();
      const object = this.#codec.decode(bytes);
      object.metadata.resourceVersion = String(this.revision);
      this.#object = object;
    }
    return this.#object;
  }

  /** JSON in the stored version, as clients get it, with the newline at its end. */
  get json(): Uint8Array {
    if (this.#json === undefined) {
      this.#json = this.#spliced() ?? this.#codec.encodeJson(this.object);
      this.#stored = undefined;
    }
    return this.#json;
  }

  /** Another form (protobuf, another version, metadata only), made by `make` the first time it is asked for. */
  encoded(form: string, make: (object: ApiObject) => Uint8Array): Uint8Array {
    this.#encodings ??= new Map();
    let bytes = this.#encodings.get(form);
    if (bytes === undefined) {
      bytes = make(this.object);
      this.#encodings.set(form, bytes);
    }
    return bytes;
  }

  /** The same content under a later revision: what a DELETED event carries. */
  at(revision: number): StoredObject {
    const value = this.#stored ?? this.#codec.encode(this.object);
    return new StoredObject({ key: this.key, value, modRevision: revision }, this.#codec);
  }

  /** The client's JSON made from the stored bytes by putting resourceVersion behind uid, without parsing. */
  #spliced(): Uint8Array | undefined {
    const { head } = this.#codec;
    const stored = this.#stored;
    // What a dry run would have created has no version.
    if (this.revision === 0) return undefined;
    if (!head || !stored || Buffer.compare(stored.subarray(0, head.length), head) !== 0)
      return undefined;
    const end = uidEnd(stored, head.length);
    if (end < 0) return undefined;
    const version = Buffer.from(`,"resourceVersion":"${this.revision}"`, "latin1");
    return Buffer.concat([stored.subarray(0, end), version, stored.subarray(end), newline]);
  }
}

const newline = Buffer.from("\n");
const uidKey = Buffer.from('"uid":"', "latin1");
const uidBytes = uidKey.length + 37; // A UUID and its closing quote.

/**
 * Where the object's own uid ends. Only name, generateName, namespace and selfLink come before it in metadata, and in
 * those a quote would be escaped, so the first match is the right one.
 */
function uidEnd(bytes: Uint8Array, from: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = buffer.indexOf(uidKey, from);
  const end = start + uidBytes;
  return start >= 0 && end < bytes.length && bytes[end - 1] === 0x22 ? end : -1;
}
