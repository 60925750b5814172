import { WireWriter } from "#/std/protobuf/protobuf-wire.ts";
import type { WatchEventType } from "../json/json-stream.ts";
import type { ListForm, ListMeta } from "../shape/list-form.ts";
import { type ListItem, type ListPieces, noBytes } from "../shape/list-pieces.ts";
import { envelopeEnd, openEnvelope, writeEnvelopeStart } from "./protobuf-envelope.ts";

/**
 * A list built from objects that encodeProtobuf() wrote: their messages are taken from the
 * envelopes, not encoded again.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/serializer/protobuf/collections.go.
 */
export function protobufList(
  form: ListForm,
  metadata: ListMeta,
  items: readonly Uint8Array[],
): ListPieces {
  const messages = items.map((item) => openEnvelope(item).raw);
  const leads = itemStarts(messages);
  let size = 0;
  const pieces = messages.map((message, index): ListItem => {
    const [source = message, lead = noBytes] = [items[index], leads[index]];
    const start = message.byteOffset - source.byteOffset;
    size += lead.length + message.length;
    return { lead, source, start, end: start + message.length };
  });
  const writer = new WireWriter();
  writeListMeta(writer, metadata);
  writeEnvelopeStart(writer, form, writer.mark() + size);
  return { head: writer.finish(), items: pieces, separator: noBytes, tail: envelopeEnd };
}

/** Limit of the bytes before an item (count): a key and a length. */
const start = 6;

/** The bytes before each item: the key of field 2 of the list, and the item's length. */
function itemStarts(messages: readonly Uint8Array[]): Uint8Array[] {
  const writer = new WireWriter(messages.length * start);
  const ends = messages.map(({ length }) => {
    const end = writer.mark();
    writer.uint32(length);
    writer.uint32(0x12);
    return end;
  });
  const bytes = writer.finish();
  // The writer writes backwards: the first write is at the end.
  const place = (mark = bytes.length): number => bytes.length - mark;
  return ends.map((end, index) => bytes.subarray(place(ends[index + 1]), place(end)));
}

/** Room for the envelope and the fields around an event (bytes). */
const head = 1024;

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

/** Size of a frame's length prefix (bytes). */
const frameHeader = 4;

/** A watch event of an object as encodeProtobuf() wrote it, with its length in front. */
export function protobufWatchFrame(type: WatchEventType, object: Uint8Array): Uint8Array {
  const writer = new WireWriter(object.length + head);
  const mark = writer.mark();
  writer.bytes(object);
  writer.uint32(0x0a);
  writer.length(mark);
  writer.uint32(0x12);
  writer.string(type);
  writer.uint32(0x0a);
  const size = writer.mark();
  const header = Buffer.alloc(frameHeader);
  header.writeUInt32BE(size);
  writer.raw(header);
  return writer.finish();
}
