import type { StructSchema } from "#/api/base/schema.ts";
import { WireError, WireReader, WireWriter } from "#/std/protobuf/protobuf-wire.ts";
import { QuantityError } from "../../values/quantity.ts";
import type { TypeMeta } from "../json/json-document.ts";
import { DecodeError } from "../shape/decode-error.ts";
import { messageReaderOf } from "./protobuf-decoder.ts";
import { messageWriterOf } from "./protobuf-encoder.ts";
import { MessageReader } from "./protobuf-scalar-reader.ts";

/** What a protobuf body of Kubernetes begins with; a runtime.Unknown follows. */
const protobufPrefix: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** A runtime.Unknown: the message of an object with the kind that it is of. */
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
 * Upstream: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go.
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

/** Reads an object from its envelope; it has the apiVersion and kind that the envelope says. Throws DecodeError. */
export function decodeProtobuf<T>({ raw, apiVersion, kind }: Envelope, schema: StructSchema): T {
  const value = readMessage(raw, schema) as object;
  return { kind, apiVersion, ...value } as T;
}

/** Reads a message without an envelope, as the items of a list are. Throws DecodeError. */
function readMessage(bytes: Uint8Array, schema: StructSchema): unknown {
  return translated("value", () => messageReaderOf(schema)(new MessageReader(bytes)));
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
  // What a message takes is not known before; a buffer for each would be bigger, and stay as long as the message.
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

/** The one that has written the last message, while it is not writing another. */
let idleWriter: WireWriter | undefined;

/** What follows the message in its envelope: contentType and contentEncoding, both empty. */
export const envelopeEnd: Uint8Array = Uint8Array.of(0x1a, 0, 0x22, 0);

/** Writes what stands in an envelope before a message of so many bytes. */
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
