import type { ScalarSchema } from "#/api/base/schema.ts";
import { formatNanos } from "#/std/go/nanoseconds.ts";
import { type Int64, WireError, WireReader } from "#/std/protobuf/protobuf-wire.ts";
import { maxDepth } from "../json/json-document.ts";
import { countKeys, parseRawJson } from "../json/raw-decoder.ts";
import { canonicalQuantity } from "../shape/canonical-quantity.ts";
import {
  formatTime,
  rfc3339,
  rfc3339Micro,
  type TimeLayout,
  zeroTimeSeconds,
} from "../shape/go-time.ts";

/** Limit of the fields of a message: items of lists, entries of maps, nested messages, and keys of JSON in it. */
export interface FieldLimit {
  readonly count: number;
  /** Makes the error of a message that has more. */
  readonly exceeded: () => Error;
}

/** A reader that counts the depth of nested messages, and their fields. */
export class MessageReader extends WireReader {
  depth = 0;
  #fields = 0;
  readonly #limit: FieldLimit | undefined;

  constructor(bytes: Uint8Array, limit?: FieldLimit) {
    super(bytes);
    this.#limit = limit;
  }

  get isLimited(): boolean {
    return this.#limit !== undefined;
  }

  /** Counts fields; throws the error of the limit. */
  count(fields = 1): void {
    this.#fields += fields;
    if (this.#limit && this.#fields > this.#limit.count) throw this.#limit.exceeded();
  }
}

/** Reads a value in memory form; undefined if it is empty. */
export type ReadValue = (reader: MessageReader) => unknown;

/** Reads a length-delimited record; only JSON schemas can nest deeper than their types. */
export function readNested<T>(reader: MessageReader, read: (reader: MessageReader) => T): T {
  const end = reader.length();
  const outer = reader.end;
  reader.count();
  if (++reader.depth > maxDepth) throw new WireError("proto: message nested too deeply");
  reader.end = end;
  const value = read(reader);
  reader.end = outer;
  reader.depth--;
  return value;
}

/** The reader of a scalar or of a type that has a message of its own. */
export function scalarReader({ type, format }: ScalarSchema): ReadValue {
  switch (type) {
    case "string":
      return (reader) => reader.string();
    case "boolean":
      return (reader) => reader.bool();
    case "integer":
      return format === "int32" ? (reader) => reader.int32() : (reader) => reader.int64();
    case "number":
      return (reader) => reader.double();
    case "bytes":
      return (reader) => base64(reader.view());
    default: {
      const read = specialReader(type);
      return (reader) => readNested(reader, read);
    }
  }
}

function specialReader(type: ScalarSchema["type"]): ReadValue {
  switch (type) {
    case "quantity":
      return readQuantity;
    case "intOrString":
      return readIntOrString;
    case "time":
      return (reader) => readTime(reader, rfc3339);
    case "microTime":
      return (reader) => readTime(reader, rfc3339Micro);
    case "duration":
      return readDuration;
    case "fieldsV1":
      return readFields;
    case "rawExtension":
    case "json":
      return readRaw;
    default:
      throw new Error(`${type} has no message`);
  }
}

function readQuantity(reader: MessageReader): string {
  let text = "0";
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) text = canonicalQuantity(reader.string());
    else reader.skip(key);
  }
  return text;
}

function readIntOrString(reader: MessageReader): number | string {
  let isString = false;
  let number = 0;
  let text = "";
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x08) isString = reader.int64() === 1;
    else if (key === 0x10) number = reader.int32();
    else if (key === 0x1a) text = reader.string();
    else reader.skip(key);
  }
  return isString ? text : number;
}

/** An empty message is Go's zero time, which is undefined. */
function readTime(reader: MessageReader, layout: TimeLayout): string | undefined {
  if (reader.pos === reader.end) return undefined;
  let seconds: Int64 = 0;
  let nanos = 0;
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x08) seconds = reader.int64();
    else if (key === 0x10) nanos = reader.int32();
    else reader.skip(key);
  }
  const isZero = Number(seconds) === zeroTimeSeconds && (nanos === 0 || layout === rfc3339);
  return isZero ? undefined : formatTime({ seconds: Number(seconds), nanos }, layout);
}

function readDuration(reader: MessageReader): string {
  let nanos: Int64 = 0;
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x08) nanos = reader.int64();
    else reader.skip(key);
  }
  return formatNanos(BigInt(nanos));
}

/** JSON inside protobuf; no bytes mean null, which is undefined. */
function readRaw(reader: MessageReader): unknown {
  let raw: Uint8Array | undefined;
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) raw = reader.view();
    else reader.skip(key);
  }
  if (raw === undefined || raw.length === 0) return undefined;
  return counted(reader, parseRawJson(raw)) ?? undefined;
}

/**
 * Field sets have no numbers that need exact parsing, so a short one, which cannot nest too deeply,
 * takes the fast path.
 */
function readFields(reader: MessageReader): unknown {
  let text = "";
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) text = reader.string();
    else reader.skip(key);
  }
  if (text === "") return undefined;
  const quick = text.length <= 2 * maxDepth ? quickly(text) : undefined;
  return counted(reader, quick ?? parseRawJson(Buffer.from(text))) ?? undefined;
}

function counted(reader: MessageReader, value: unknown): unknown {
  if (reader.isLimited) reader.count(countKeys(value));
  return value;
}

function quickly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The exact parser reports the error.
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
