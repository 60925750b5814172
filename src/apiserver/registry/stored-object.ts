import type {
  EncodedObject,
  FieldPlace,
  WrittenField,
} from "#/machinery/codec/json/encode-fields.ts";
import { objectEnd } from "#/machinery/codec/json/json-scan.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import { type Cut, wholeCut } from "#/machinery/codec/shape/list-pieces.ts";
import type { Steps } from "#/std/base/steps.ts";
import { keptBytes, longLivedBytes } from "#/std/memory/long-lived-bytes.ts";
import type { Entry } from "#/storage/base/storage.ts";
import { KeptForms } from "./kept-forms.ts";
import type { Origin, SharedValue } from "./sharing/shared-values.ts";
import type { ApiObject } from "./strategy.ts";

/** Codec between one resource's objects and their stored bytes. */
export interface StoredCodec {
  /** The stored form, in JSON, without resourceVersion. */
  encode(object: ApiObject, written?: WrittenField): EncodedObject;
  /** The same in steps, for large objects. */
  encodeSteps(object: ApiObject, written?: WrittenField): Steps<EncodedObject>;
  /**
   * Shares parts of the object that other objects have as well, and returns it; absent for kinds where that is rare.
   * `origin` is the decoded value of the client's text, if it is known.
   */
  share?(object: ApiObject, origin: Origin | undefined): SharedValue | undefined;
  /** Reads bytes of encode(), or those of an upstream API server (protobuf, another version). */
  decode(bytes: Uint8Array): ApiObject;
  /** JSON for clients in the stored version, with resourceVersion. */
  encodeJson(object: ApiObject): Uint8Array;
  /**
   * Prefix of stored bytes that differ from the client's JSON only by the resourceVersion; absent for custom resources,
   * which have sorted fields.
   */
  readonly head?: Uint8Array;
  /** Fields for selectors besides name, namespace and labels. */
  readonly selectableFields?: Readonly<Record<string, (object: ApiObject) => string>> | undefined;
  /** Counters and limits of parsed forms and encodings. */
  readonly forms: ObjectForms;
  /** The parsed form is never dropped: other data (a webhook's conversion) is keyed by its identity. */
  readonly keepsParsed?: boolean;
}

/** Data for selectors; kept when the parsed form is dropped. */
interface Traits {
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** In the order of the codec's selectable fields. */
  readonly fields: readonly string[];
}

/** An encoding, and the times (both inclusive) for which it is valid. */
export interface DatedBytes {
  readonly from: number;
  readonly until: number;
  readonly bytes: Uint8Array;
}

/**
 * One version of one object: immutable, shared by all readers. Its bytes are kept; its parsed form and other encodings
 * are made on demand, and dropped when they are not used for a while.
 * Invariant: the result of `parsed()` is never changed.
 */
export class StoredObject {
  readonly key: string;
  /** The store's revision of this version: metadata.resourceVersion. */
  readonly revision: number;
  /** The generations in which the parsed form and the encodings were last used. */
  #parsedIn = -1;
  #encodedIn = -1;
  readonly #codec: StoredCodec;
  /** Invariant: one of these three is set. */
  #stored: Uint8Array | undefined;
  #json: Uint8Array | undefined;
  /** The same content under an earlier revision. */
  #origin: StoredObject | undefined;
  /** Places of fields in the bytes, in both forms, if known. */
  readonly #places: readonly FieldPlace[];
  /** Where the metadata ends in the JSON: -1 if unknown, 0 before the first call. */
  #metadataEnd = 0;
  #object: ApiObject | undefined;
  #traits: Traits | undefined;
  #encodings: Map<string, DatedBytes> | undefined;

  constructor(
    entry: Pick<Entry, "key" | "modRevision"> & { readonly value: Uint8Array | StoredObject },
    codec: StoredCodec,
    object?: ApiObject,
    places: readonly FieldPlace[] = [],
  ) {
    this.key = entry.key;
    this.revision = entry.modRevision;
    this.#codec = codec;
    this.#places = places;
    if (entry.value instanceof StoredObject) this.#origin = entry.value;
    else this.#stored = entry.value;
    this.#object = object;
    if (object) this.#use();
  }

  /** Approximate size. */
  get sizeBytes(): number {
    return (this.#stored ?? this.#json)?.length ?? this.#origin?.sizeBytes ?? 0;
  }

  /** The parsed object, with its resourceVersion; marks it as used. */
  parsed(): ApiObject {
    if (this.#parsedIn !== this.#codec.forms.parsed.generation) this.#use();
    this.#object ??= this.#parse();
    return this.#object;
  }

  /** The same, for scans of very many objects: without room in the cache, each call parses again. */
  peek(): ApiObject {
    const { keepsParsed, forms } = this.#codec;
    const keeps = this.#object || keepsParsed || forms.parsed.hasRoom(this.sizeBytes);
    if (keeps) return this.parsed();
    const object = this.#parse();
    this.#traits ??= this.#traitsOf(object);
    return object;
  }

  get name(): string {
    return this.key.slice(this.key.lastIndexOf("/") + 1);
  }

  /** For namespaced resources only. */
  get namespace(): string {
    const end = this.key.lastIndexOf("/");
    return this.key.slice(this.key.lastIndexOf("/", end - 1) + 1, end);
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    this.#traits ??= this.#traitsOf(this.peek());
    return this.#traits.labels;
  }

  /** The value of a selectable field; undefined if the resource has no such field. */
  fieldValue(field: string): string | undefined {
    const { selectableFields } = this.#codec;
    if (!selectableFields || !Object.hasOwn(selectableFields, field)) return undefined;
    this.#traits ??= this.#traitsOf(this.peek());
    return this.#traits.fields[Object.keys(selectableFields).indexOf(field)];
  }

  /** JSON in the stored version, as clients get it, with the newline at its end. */
  get json(): Uint8Array {
    if (this.#json === undefined) {
      this.#json = this.#spliced() ?? this.#codec.encodeJson(this.parsed());
      this.#stored = undefined;
      this.#origin = undefined;
    }
    return this.#json;
  }

  /**
   * The encoded bytes of a field, if `value` is its identical value and their place is known. Never those of metadata.
   */
  writtenField(name: string, value: unknown): Uint8Array | undefined {
    const place = this.#places.find((candidate) => candidate.name === name);
    const bytes = this.#stored ?? this.#json;
    if (!place || !bytes || name === "metadata") return undefined;
    if (this.#object?.[name as keyof ApiObject] !== value) return undefined;
    const total = bytes.length - (this.#stored ? 0 : newline.length);
    return bytes.subarray(total - place.start, total - place.end);
  }

  /** The part of the JSON that is its metadata. */
  get metadataCut(): Cut {
    if (this.#metadataEnd === 0) this.#metadataEnd = this.#findMetadataEnd();
    const { head } = this.#codec;
    if (head && this.#metadataEnd > 0) {
      return { source: this.json, start: head.length - 1, end: this.#metadataEnd };
    }
    return wholeCut(this.encoded("metadata", ({ metadata }) => Buffer.from(writeJson(metadata))));
  }

  /** Another form (protobuf, another version, metadata only), made by `make` on demand. */
  encoded(form: string, make: (object: ApiObject) => Uint8Array): Uint8Array {
    const known = this.#encoding(form);
    if (known) return known.bytes;
    const bytes = make(this.peek());
    return this.#keep(form, { from: 0, until: Number.POSITIVE_INFINITY, bytes }, known);
  }

  /** As encoded(), for a form that is valid for a limited time. */
  encodedAt(form: string, time: number, make: (object: ApiObject) => DatedBytes): Uint8Array {
    const known = this.#encoding(form);
    if (known && known.from <= time && time <= known.until) return known.bytes;
    return this.#keep(form, make(this.peek()), known);
  }

  /** The same content under a later revision, for a DELETED event. Its bytes are made on demand. */
  at(revision: number): StoredObject {
    const entry = { key: this.key, value: this, modRevision: revision };
    const parsed = this.#object;
    const object = parsed && {
      ...parsed,
      metadata: { ...parsed.metadata, resourceVersion: String(revision) },
    };
    return new StoredObject(entry, this.#codec, object);
  }

  /** Drops the parsed form; it is parsed again on demand. */
  forgetParsed(): void {
    if (this.#object) this.#traits ??= this.#traitsOf(this.#object);
    this.#object = undefined;
  }

  /** Drops the encodings. */
  forgetEncodings(): void {
    this.#encodings = undefined;
  }

  /** Drops all derived data, since a later version has replaced this one. */
  retire(): void {
    const { keepsParsed, forms } = this.#codec;
    if (this.#encodings) forms.encoded.drop(this);
    this.forgetEncodings();
    this.#encodedIn = -1;
    if (keepsParsed) return;
    this.forgetParsed();
    forms.parsed.drop(this);
    this.#parsedIn = -1;
  }

  #parse(): ApiObject {
    const object = this.#codec.decode(this.#anyBytes());
    object.metadata.resourceVersion = String(this.revision);
    return object;
  }

  #use(): void {
    const { keepsParsed = false, forms } = this.#codec;
    this.#parsedIn = keepsParsed ? forms.parsed.generation : forms.parsed.use(this, this.sizeBytes);
  }

  #encoding(form: string): DatedBytes | undefined {
    const known = this.#encodings?.get(form);
    if (known && this.#encodedIn !== this.#codec.forms.encoded.generation) this.#useEncodings();
    return known;
  }

  /** Keeps an encoding if there is room; if the bytes are the same as at another time, one array is kept. */
  #keep(form: string, made: DatedBytes, known: DatedBytes | undefined): Uint8Array {
    if (!known && !this.#codec.forms.encoded.hasRoom(made.bytes.length)) return made.bytes;
    const same = known && Buffer.compare(known.bytes, made.bytes) === 0;
    const bytes = same ? known.bytes : keptBytes(made.bytes);
    this.#encodings ??= new Map();
    this.#encodings.set(form, { from: made.from, until: made.until, bytes });
    if (!same) this.#useEncodings();
    return bytes;
  }

  #useEncodings(): void {
    let sizeBytes = 0;
    for (const { bytes } of this.#encodings?.values() ?? []) sizeBytes += bytes.length;
    this.#encodedIn = this.#codec.forms.encoded.use(this, sizeBytes);
  }

  #traitsOf(object: ApiObject): Traits {
    const getters = Object.values(this.#codec.selectableFields ?? {});
    return { labels: object.metadata.labels, fields: getters.map((value) => value(object)) };
  }

  #anyBytes(): Uint8Array {
    const bytes = this.#stored ?? this.#json;
    if (bytes) return bytes;
    return this.#origin ? this.#origin.#anyBytes() : new Uint8Array();
  }

  /** The client's JSON: resourceVersion is inserted after uid, without parsing. */
  #spliced(): Uint8Array | undefined {
    const halves = this.#halves();
    // The result of a dry-run create has no version.
    const version = this.revision === 0 ? new Uint8Array() : this.#versionText();
    return halves && joinBytes(halves[0], version, halves[1], newline);
  }

  /** The stored bytes before and after the place of resourceVersion; undefined if they have another prefix. */
  #halves(): readonly [Uint8Array, Uint8Array] | undefined {
    const bytes = this.#stored ?? this.#json;
    if (!bytes) return this.#origin ? this.#origin.#halves() : undefined;
    const end = this.#uidEnd(bytes);
    if (end < 0) return undefined;
    if (this.#stored) return [bytes.subarray(0, end), bytes.subarray(end)];
    const version = this.#versionText();
    const rest = end + version.length;
    if (Buffer.compare(bytes.subarray(end, rest), version) !== 0) return undefined;
    return [bytes.subarray(0, end), bytes.subarray(rest, -1)];
  }

  #findMetadataEnd(): number {
    const { json } = this;
    const { head } = this.#codec;
    return !head || this.#uidEnd(json) < 0 ? -1 : objectEnd(json, head.length - 1);
  }

  #versionText(): Uint8Array {
    return Buffer.from(`,"resourceVersion":"${this.revision}"`, "latin1");
  }

  /** Where the object's uid ends; -1 in bytes with another prefix. */
  #uidEnd(bytes: Uint8Array): number {
    const { head } = this.#codec;
    if (!head || Buffer.compare(bytes.subarray(0, head.length), head) !== 0) return -1;
    return uidEnd(bytes, head.length);
  }
}

/** Limit of parsed forms of one generation (bytes of their JSON). */
const parsedBytes = 64 * 1024 * 1024;
/** Limit of encodings of one generation (bytes). */
const encodedBytes = 64 * 1024 * 1024;

/** Caches of the objects of all resources, besides their stored bytes; a registry has one. */
export class ObjectForms {
  readonly parsed = new KeptForms<StoredObject>(parsedBytes, (object) => object.forgetParsed());
  readonly encoded = new KeptForms<StoredObject>(encodedBytes, (object) =>
    object.forgetEncodings(),
  );

  /** Drops data that was not used since the last call. */
  forgetUnused(): void {
    this.parsed.endGeneration();
    this.encoded.endGeneration();
  }
}

function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  const joined = longLivedBytes(total);
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
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
