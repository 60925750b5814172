import type {
  EncodedObject,
  FieldPlace,
  WrittenField,
} from "#/machinery/codec/json/encode-fields.ts";
import { objectEnd } from "#/machinery/codec/json/json-scan.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import { type Cut, wholeCut } from "#/machinery/codec/shape/list-pieces.ts";
import { keptBytes, longLivedBytes } from "#/std/memory/long-lived-bytes.ts";
import type { Entry } from "#/storage/base/storage.ts";
import { KeptForms } from "./kept-forms.ts";
import type { Origin, SharedValue } from "./sharing/shared-values.ts";
import type { ApiObject } from "./strategy.ts";

/** How one resource's objects are written to and read from the store. */
export interface StoredCodec {
  /** The stored form, in JSON, without resourceVersion. */
  encode(object: ApiObject, written?: WrittenField): EncodedObject;
  /**
   * Takes what the object has in common with others from those, and returns it; absent where that is rare. The origin is what
   * the client's text stood for, if that is known.
   */
  share?(object: ApiObject, origin: Origin | undefined): SharedValue | undefined;
  /** Reads what encode wrote, or what an upstream API server wrote (protobuf, another version). */
  decode(bytes: Uint8Array): ApiObject;
  /** JSON for clients in the stored version, resourceVersion included. */
  encodeJson(object: ApiObject): Uint8Array;
  /**
   * What stored bytes begin with when they are what clients get but for the resourceVersion; absent for custom
   * resources, whose fields are sorted.
   */
  readonly head?: Uint8Array;
  /** What lists and watches can select by besides name, namespace and labels. */
  readonly selectableFields?: Readonly<Record<string, (object: ApiObject) => string>> | undefined;
  /** Where parsed forms and encodings are counted. */
  readonly forms: ObjectForms;
  /** The parsed form is never forgotten: something else (a webhook's conversion) hangs on its identity. */
  readonly keepsParsed?: boolean;
}

/** What selectors look at; kept when the parsed form is forgotten. */
interface Traits {
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** In the order of the codec's selectable fields. */
  readonly fields: readonly string[];
}

/** An encoding, and the times (both included) at which it is the right one. */
export interface DatedBytes {
  readonly from: number;
  readonly until: number;
  readonly bytes: Uint8Array;
}

/**
 * One version of one object: immutable, shared by all readers. Its bytes are kept; its parsed form, and other encodings,
 * are made when they are asked for and forgotten when nobody has asked for a while.
 * Invariant: nobody changes what `parsed()` returns.
 */
export class StoredObject {
  readonly key: string;
  /** The store's revision of this version: metadata.resourceVersion. */
  readonly revision: number;
  /** The generations of parsed forms, and of encodings, in which this one's were last used. */
  #parsedIn = -1;
  #encodedIn = -1;
  readonly #codec: StoredCodec;
  /** Invariant: one of these three is set. */
  #stored: Uint8Array | undefined;
  #json: Uint8Array | undefined;
  /** The same content under an earlier revision. */
  #origin: StoredObject | undefined;
  /** Where fields are in the bytes, in both forms, if that is known. */
  readonly #places: readonly FieldPlace[];
  /** Where the metadata ends in the JSON: -1 if that can't be told, 0 before somebody asks. */
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

  /** About how big it is. */
  get sizeBytes(): number {
    return (this.#stored ?? this.#json)?.length ?? this.#origin?.sizeBytes ?? 0;
  }

  /** The parsed object, with its resourceVersion; that counts as a use. */
  parsed(): ApiObject {
    if (this.#parsedIn !== this.#codec.forms.parsed.generation) this.#use();
    this.#object ??= this.#parse();
    return this.#object;
  }

  /** The same, for a look at very many: it may be another one the next time. */
  glance(): ApiObject {
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
    this.#traits ??= this.#traitsOf(this.glance());
    return this.#traits.labels;
  }

  /** The value of a selectable field; undefined if the resource has no such field. */
  fieldValue(field: string): string | undefined {
    const { selectableFields } = this.#codec;
    if (!selectableFields || !Object.hasOwn(selectableFields, field)) return undefined;
    this.#traits ??= this.#traitsOf(this.glance());
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

  /** The bytes of a field, if this is its very value and it is known where they are. Metadata has other bytes each time. */
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

  /** Another form (protobuf, another version, metadata only), made by `make` when it is asked for. */
  encoded(form: string, make: (object: ApiObject) => Uint8Array): Uint8Array {
    const known = this.#encoding(form);
    if (known) return known.bytes;
    const bytes = make(this.glance());
    return this.#keep(form, { from: 0, until: Number.POSITIVE_INFINITY, bytes }, known);
  }

  /** As encoded(), of a form that says something about a time as well. */
  encodedAt(form: string, time: number, make: (object: ApiObject) => DatedBytes): Uint8Array {
    const known = this.#encoding(form);
    if (known && known.from <= time && time <= known.until) return known.bytes;
    return this.#keep(form, make(this.glance()), known);
  }

  /** The same content under a later revision: what a DELETED event carries. Its bytes are made when somebody asks. */
  at(revision: number): StoredObject {
    const entry = { key: this.key, value: this, modRevision: revision };
    const parsed = this.#object;
    const object = parsed && {
      ...parsed,
      metadata: { ...parsed.metadata, resourceVersion: String(revision) },
    };
    return new StoredObject(entry, this.#codec, object);
  }

  /** Lets go of the parsed form; it is made again when somebody asks. */
  forgetParsed(): void {
    if (this.#object) this.#traits ??= this.#traitsOf(this.#object);
    this.#object = undefined;
  }

  /** Lets go of what was made of it. */
  forgetEncodings(): void {
    this.#encodings = undefined;
  }

  /** Lets go of all that can be made again, since a later version has taken the place of this one. */
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

  /** Keeps an encoding if there is room; what is the same as at another time shares its bytes. */
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

  /** The client's JSON made by putting resourceVersion behind uid, without parsing. */
  #spliced(): Uint8Array | undefined {
    // What a dry run would have created has no version.
    const halves = this.revision === 0 ? undefined : this.#halves();
    return halves && joinBytes(halves[0], this.#versionText(), halves[1], newline);
  }

  /** The stored bytes before and after the place of resourceVersion; undefined if they don't begin as ours do. */
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

  /** Where the object's uid ends; -1 in bytes that don't begin as ours do. */
  #uidEnd(bytes: Uint8Array): number {
    const { head } = this.#codec;
    if (!head || Buffer.compare(bytes.subarray(0, head.length), head) !== 0) return -1;
    return uidEnd(bytes, head.length);
  }
}

/** Limit of parsed forms of one generation (bytes of the JSON that they stand for). */
const parsedBytes = 64 * 1024 * 1024;
/** Limit of encodings of one generation (bytes). */
const encodedBytes = 64 * 1024 * 1024;

/** What is kept of the objects of all resources besides their stored bytes; a registry has one. */
export class ObjectForms {
  readonly parsed = new KeptForms<StoredObject>(parsedBytes, (object) => object.forgetParsed());
  readonly encoded = new KeptForms<StoredObject>(encodedBytes, (object) =>
    object.forgetEncodings(),
  );

  /** Lets go of what was not used since the last call. */
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
