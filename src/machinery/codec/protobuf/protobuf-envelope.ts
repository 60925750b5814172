import type { StructSchema } from "#/api/base/schema.ts";
import { WireError, WireReader, WireWriter } from "#/std/protobuf/protobuf-wire.ts";
import { QuantityError } from "../../values/quantity.ts";
import type { TypeMeta } from "../json/json-document.ts";
import { DecodeError } from "../shape/decode-error.ts";
import { messageReaderOf } from "./protobuf-decoder.ts";
import { messageWriterOf } from "./protobuf-encoder.ts";
import { type FieldLimit, MessageReader } from "./protobuf-scalar-reader.ts";

/** The first bytes of a Kubernetes protobuf body; a runtime.Unknown follows. */
const protobufPrefix: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** A runtime.Unknown: an object's message with its kind. */
interface Envelope extends TypeMeta {
  readonly raw: Uint8Array;
}

/** Whether bytes are protobuf in Kubernetes' envelope. */
export function isProtobuf(bytes: Uint8Array): boolean {
  return protobufPrefix.every((byte, i) => bytes[i] === byte);
}

/**
 * Opens the envelope. Throws DecodeError.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go.
 */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new DecodeError("empty data", "syntax");
  if (!isProtobuf(bytes)) {
    const expected = `expected prefix [${protobufPrefix.join(" ")}]`;
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, ${expected}`,
      "syntax",
    );
  }
  if (bytes.length === protobufPrefix.length) throw new DecodeError("empty body", "syntax");
  return translated("syntax", () => readUnknown(new WireReader(bytes, protobufPrefix.length)));
}

function readUnknown(reader: WireReader): Envelope {
  let meta: TypeMeta = { apiVersion: "", kind: "" };
  let raw: Uint8Array = new Uint8Array(0);
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) meta = readTypeMeta(new WireReader(reader.view()));
    else if (key === 0x12) raw = reader.view();
    else reader.skip(key);
  }
  return { ...meta, raw };
}

function readTypeMeta(reader: WireReader): TypeMeta {
  let apiVersion = "";
  let kind = "";
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) apiVersion = reader.string();
    else if (key === 0x12) kind = reader.string();
    else reader.skip(key);
  }
  return { apiVersion, kind };
}

/**
 * Reads an object from its envelope, with the envelope's apiVersion and kind. Throws DecodeError.
 */
export function decodeProtobuf<T>(
  { raw, apiVersion, kind }: Envelope,
  schema: StructSchema,
  limit?: FieldLimit,
): T {
  const value = readMessage(raw, schema, limit) as object;
  return { kind, apiVersion, ...value } as T;
}

/** Reads a message without an envelope, such as an item of a list. Throws DecodeError. */
function readMessage(bytes: Uint8Array, schema: StructSchema, limit?: FieldLimit): unknown {
  return translated("value", () => messageReaderOf(schema)(new MessageReader(bytes, limit)));
}

function translated<T>(stage: "syntax" | "value", read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError || error instanceof QuantityError) {
      throw new DecodeError(error.message, stage, { cause: error });
    }
    throw error;
  }
}

/** Writes an object in its envelope. */
export function encodeProtobuf(
  value: object & Partial<TypeMeta>,
  schema: StructSchema,
): Uint8Array {
  // The size of a message is not known in advance. A buffer for each message would be larger than
  // it, and live as long as the message; so one writer is reused.
  const writer = idleWriter ?? new WireWriter(4096);
  idleWriter = undefined;
  writer.raw(envelopeEnd);
  const end = writer.mark();
  messageWriterOf(schema)(writer, value);
  writeEnvelopeStart(writer, value, writer.mark() - end);
  const bytes = writer.take();
  idleWriter = writer;
  return bytes;
}

/** The reusable writer; undefined while it is in use. */
let idleWriter: WireWriter | undefined;

/** The end of an envelope, after the message: contentType and contentEncoding, both empty. */
export const envelopeEnd: Uint8Array = Uint8Array.of(0x1a, 0, 0x22, 0);

/** Writes the start of an envelope, before a message of this size (bytes). */
export function writeEnvelopeStart(
  writer: WireWriter,
  { apiVersion = "", kind = "" }: Partial<TypeMeta>,
  messageBytes: number,
): void {
  writer.uint32(messageBytes);
  writer.uint32(0x12);
  const mark = writer.mark();
  writer.string(kind);
  writer.uint32(0x12);
  writer.string(apiVersion);
  writer.uint32(0x0a);
  writer.length(mark);
  writer.uint32(0x0a);
  writer.raw(protobufPrefix);
}
