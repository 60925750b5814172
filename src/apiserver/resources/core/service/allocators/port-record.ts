import type { StructSchema } from "#/api/base/schema.ts";
import type { RangeAllocation } from "#/api/core/v1.ts";
import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import { jsonText } from "#/machinery/codec/json/encode-json.ts";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import {
  decodeProtobuf,
  isProtobuf,
  openEnvelope,
} from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { formatPortRange, type PortRange } from "./port-set.ts";

/**
 * The stored record of allocated ports: a RangeAllocation whose data is a number in big-endian bytes, bit n of which
 * is set if the nth port of the range is allocated. Upstream's servers read and write the same format.
 *
 * Upstream: pkg/registry/core/service/allocator/{bitmap.go,storage/storage.go}.
 */

/** Encodes the allocated ports. */
export function encodePortRecord(range: PortRange, taken: Iterable<number>): Uint8Array {
  const size = range.last - range.first + 1;
  const bytes = Buffer.alloc(Math.ceil(size / 8));
  for (const port of taken) {
    const bit = port - range.first;
    if (bit < 0 || bit >= size) continue;
    const at = bytes.length - 1 - (bit >> 3);
    bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7));
  }
  const start = bytes.findIndex((byte) => byte !== 0);
  const data = start < 0 ? "" : bytes.subarray(start).toString("base64");
  const record: RangeAllocation = {
    kind: "RangeAllocation",
    apiVersion: "v1",
    metadata: {},
    range: formatPortRange(range),
    data,
  };
  return Buffer.from(jsonText(record, schema()));
}

/** Decodes the allocated ports; a record of a range other than the configured one is decoded too. */
export function decodePortRecord(value: Uint8Array): number[] {
  const record = isProtobuf(value)
    ? decodeProtobuf<RangeAllocation>(openEnvelope(value), schema())
    : decodeJson<RangeAllocation>(parseJson(value), schema(), false).value;
  const first = Number(record.range.split("-")[0]);
  if (!Number.isInteger(first)) return [];
  const bytes = Buffer.from(record.data ?? "", "base64");
  const ports: number[] = [];
  bytes.forEach((byte, index) => {
    const base = (bytes.length - 1 - index) * 8;
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) ports.push(first + base + bit);
  });
  return ports;
}

function schema(): StructSchema {
  const found = findSchema("", "v1", "RangeAllocation");
  if (!found) throw new Error("RangeAllocation is a kind of the core group");
  return found;
}
