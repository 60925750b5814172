import { WireError, WireReader, WireWriter } from "#/std/protobuf-wire.ts";
import { DecodeError } from "./decode-error.ts";
import type { WatchEventType } from "./json-stream.ts";
import type { ListForm, ListMeta } from "./list-form.ts";
import { inEnvelope, openEnvelope } from "./protobuf-envelope.ts";

/**
 * A list made of objects as encodeProtobuf() wrote them: their messages are taken out of the envelopes, not encoded again.
 *
 * Upstream: apimachinery/pkg/runtime/serializer/protobuf/collections.go.
 */
export function protobufList(
  form: ListForm,
  metadata: ListMeta,
  items: readonly Uint8Array[],
): Uint8Array {
  const messages = items.map((item) => openEnvelope(item).raw);
  const size = messages.reduce((sum, { length }) => sum + length + LENGTH_AND_KEY, 0);
  const writer = new WireWriter(size + HEAD);
  return inEnvelope(writer, form, () => {
    for (const message of messages.reverse()) {
      writer.bytes(message);
      writer.uint32(0x12);
    }
    writeListMeta(writer, metadata);
  });
}

/** Room for what is around an item, and around them all. */
const LENGTH_AND_KEY = 6;
const HEAD = 1024;

/** ListMeta, as field 1 of the list. */
function writeListMeta(writer: WireWriter, metadata: ListMeta): void {
  const mark = writer.mark();
  if (metadata.remainingItemCount !== undefined) {
    writer.int64(metadata.remainingItemCount);
    writer.uint32(0x20);
  }
  writer.string(metadata.continue ?? "");
  writer.uint32(0x1a);
  writer.string(metadata.resourceVersion ?? "");
  writer.uint32(0x12);
  // selfLink, which is never set.
  writer.string("");
  writer.uint32(0x0a);
  writer.length(mark);
  writer.uint32(0x0a);
}

/** How many bytes say how long a frame is. */
export const FRAME_HEADER = 4;

/** A watch event of an object as encodeProtobuf() wrote it, with its length in front. */
export function protobufWatchFrame(type: WatchEventType, object: Uint8Array): Uint8Array {
  const writer = new WireWriter(object.length + HEAD);
  const mark = writer.mark();
  writer.bytes(object);
  writer.uint32(0x0a);
  writer.length(mark);
  writer.uint32(0x12);
  writer.string(type);
  writer.uint32(0x0a);
  const size = writer.mark();
  const header = Buffer.alloc(FRAME_HEADER);
  header.writeUInt32BE(size);
  writer.raw(header);
  return writer.finish();
}

/** A watch event with its object still encoded. */
export interface WatchFrame {
  readonly type: string;
  /** As encodeProtobuf() writes it. */
  readonly object: Uint8Array;
}

/** Reads the content of a frame, which is what follows its length. Throws DecodeError. */
export function readWatchFrame(bytes: Uint8Array): WatchFrame {
  try {
    return readEvent(new WireReader(bytes));
  } catch (error) {
    if (error instanceof WireError)
      throw new DecodeError(error.message, "syntax", { cause: error });
    throw error;
  }
}

function readEvent(reader: WireReader): WatchFrame {
  let type = "";
  let object: Uint8Array = new Uint8Array(0);
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) type = reader.string();
    else if (key === 0x12) object = readRaw(new WireReader(reader.view()));
    else reader.skip(key);
  }
  return { type, object };
}

/** The content of a RawExtension. */
function readRaw(reader: WireReader): Uint8Array {
  let raw: Uint8Array = new Uint8Array(0);
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) raw = reader.view();
    else reader.skip(key);
  }
  return raw;
}
