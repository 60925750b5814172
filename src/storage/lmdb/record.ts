import { crc32 } from "node:zlib";
import { longLivedBytes } from "#/std/memory/long-lived-bytes.ts";
import type { Version } from "./version.ts";

/*
 * A version as bytes, the same in the journal and in the tree; numbers are big-endian:
 *
 *   CRC-32 of the whole with this field as 0 u32 · value length u32 · mod revision u48 · create revision u48 ·
 *   expiry in milliseconds u48 · key length u16 · key (UTF-8) · value
 */
const headerSize = 28;
const crcOfZeroField = crc32(Buffer.alloc(4));

/** The fields of a record besides the value. */
export type RecordFields = Pick<Version, "key" | "modRevision" | "createRevision" | "expiresAtMs">;

export function recordSize(key: string, value: Uint8Array): number {
  return headerSize + Buffer.byteLength(key) + value.length;
}

/** Writes a record into a buffer and returns that part of it. */
export function writeRecord(
  target: Buffer,
  start: number,
  fields: RecordFields,
  value: Uint8Array,
): Buffer {
  const keyLength = target.write(fields.key, start + headerSize);
  const record = target.subarray(start, start + headerSize + keyLength + value.length);
  record.writeUInt32BE(0, 0);
  record.writeUInt32BE(value.length, 4);
  record.writeUIntBE(fields.modRevision, 8, 6);
  record.writeUIntBE(fields.createRevision, 14, 6);
  record.writeUIntBE(fields.expiresAtMs, 20, 6);
  record.writeUInt16BE(keyLength, 26);
  record.set(value, headerSize + keyLength);
  record.writeUInt32BE(crc32(record), 0);
  return record;
}

/** The record at an offset; undefined if it is damaged. */
export function readRecord(
  source: Buffer,
  start: number,
): { readonly fields: RecordFields; readonly record: Buffer } | undefined {
  if (start + headerSize > source.length) return undefined;
  const keyLength = source.readUInt16BE(start + 26);
  const end = start + headerSize + keyLength + source.readUInt32BE(start + 4);
  if (end > source.length) return undefined;
  const crc = crc32(source.subarray(start + 4, end), crcOfZeroField);
  if (crc !== source.readUInt32BE(start)) return undefined;
  const fields = {
    key: source.toString("utf8", start + headerSize, start + headerSize + keyLength),
    modRevision: source.readUIntBE(start + 8, 6),
    createRevision: source.readUIntBE(start + 14, 6),
    expiresAtMs: source.readUIntBE(start + 20, 6),
  };
  return { fields, record: source.subarray(start, end) };
}

/** A copy of the value part of a record. */
export function copyRecordValue(record: Buffer): Buffer {
  const start = headerSize + record.readUInt16BE(26);
  const value = longLivedBytes(record.length - start);
  record.copy(value, 0, start, record.length);
  return value;
}
