import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { formatVersion } from "./format.ts";
import { saltSize } from "./journal.ts";
import { firstRevision } from "./versions.ts";

/** The metadata of the tree. */
export interface TreeState {
  readonly format: number;
  /** Every version up to here is in the tree. */
  readonly revision: number;
  readonly compactRevision: number;
  /** Number of versions in the tree. */
  readonly records: number;
  /** Salt of the current journal, in hexadecimal. */
  readonly salt: string;
}

/** A salt for the journal's next run. */
export function newSalt(): string {
  return randomBytes(saltSize).toString("hex");
}

/** The state of an empty store, which is at revision 1, as in etcd. */
export function newState(): TreeState {
  return {
    format: formatVersion,
    revision: firstRevision,
    compactRevision: 0,
    records: 0,
    salt: newSalt(),
  };
}

/** As bytes: CRC-32 of the rest u32 (big-endian) · JSON. */
export function encodeState(state: TreeState): Buffer {
  const json = Buffer.from(JSON.stringify(state));
  const bytes = Buffer.alloc(4 + json.length);
  bytes.writeUInt32BE(crc32(json));
  json.copy(bytes, 4);
  return bytes;
}

/** Undefined if the bytes are damaged. */
export function decodeState(bytes: Buffer): TreeState | undefined {
  if (bytes.length < 4 || bytes.readUInt32BE() !== crc32(bytes.subarray(4))) return undefined;
  return JSON.parse(bytes.toString("utf8", 4)) as TreeState;
}
