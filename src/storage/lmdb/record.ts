import { crc32 } from "node:zlib";
import type { Version } from "./version.ts";

/*
 * A version as bytes, the same in the journal and in the tree; numbers are big-endian:
 *
 *   CRC-32 of the rest u32 · value length u32 · mod revision u48 · create revision u48 ·
 *   expiry in milliseconds u48 · key length u16 · key (UTF-8) · value
 */
const headerSize = 28;

/** What a record says besides the value. */
export type RecordFields = Pick<Version, "key" | "modRevision" | "createRevision" | "expiresAtMs">;

export function recordSize(key: string, value: Uint8Array): number {
  return headerSize + Buffer.byteLength(key) + value.length;
}

/** Writes a record and returns where it ends. */
export function writeRecord(
  target: Buffer,
  start: number,
  fields: RecordFields,
  value: Uint8Array,
): number {
  const keyLength = target.write(fields.key, start + headerSize);
  const end = start + headerSize + keyLength + value.length;
  target.writeUInt32BE(value.length, start + 4);
  target.writeUIntBE(fields.modRevision, start + 8, 6);
  target.writeUIntBE(fields.createRevision, start + 14, 6);
  target.writeUIntBE(fields.expiresAtMs, start + 20, 6);
  target.writeUInt16BE(keyLength, start + 26);
  target.set(value, start + headerSize + keyLength);
  target.writeUInt32BE(crc32(target.subarray(start + 4, end)), start);
  return end;
}

/** The record that starts at a place, or undefined if there is no undamaged one. */
export function readRecord(
  source: Buffer,
  start: number,
): { readonly fields: RecordFields; readonly record: Buffer } | undefined {
  if (start + headerSize > source.length) return undefined;
  const keyLength = source.readUInt16BE(start + 26);
  const end = start + headerSize + keyLength + source.readUInt32BE(start + 4);
  if (end > source.length) return undefined;
  if (crc32(source.subarray(start + 4, end)) !== source.readUInt32BE(start)) return undefined;
  const fields = {
    key: source.toString("utf8", start + headerSize, start + headerSize + keyLength),
    modRevision: source.readUIntBE(start + 8, 6),
    createRevision: source.readUIntBE(start + 14, 6),
    expiresAtMs: source.readUIntBE(start + 20, 6),
  };
  return { fields, record: source.subarray(start, end) };
}

/** The value part of a record. */
export function recordValue(record: Buffer): Buffer {
  return record.subarray(headerSize + record.readUInt16BE(26));
}
