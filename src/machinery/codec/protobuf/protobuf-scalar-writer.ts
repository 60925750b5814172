import type { ScalarSchema } from "#/api/base/schema.ts";
import { parseNanos } from "#/std/go/nanoseconds.ts";
import { type Int64, type WireWriter, wireTypes } from "#/std/protobuf/protobuf-wire.ts";
import { writeJson } from "../json/write-json.ts";
import { parseTime, rfc3339, rfc3339Micro, type TimeLayout } from "../shape/go-time.ts";

/** Writes a value without its key; undefined and null are the zero value of the type. */
export type WriteValue = (writer: WireWriter, value: unknown) => void;

interface ValueWriter {
  readonly wire: number;
  readonly write: WriteValue;
}

/** Writes a value with its length in front. */
export function writeNested(writer: WireWriter, value: unknown, write: WriteValue): void {
  const mark = writer.mark();
  write(writer, value);
  writer.length(mark);
}

/** The writer of a scalar or of a type that has a message of its own. */
export function scalarWriter({ type }: ScalarSchema): ValueWriter {
  switch (type) {
    case "string":
      return {
        wire: wireTypes.bytes,
        write: (writer, value) => writer.string((value as string) ?? ""),
      };
    case "boolean":
      return { wire: wireTypes.varint, write: (writer, value) => writer.bool(value === true) };
    case "integer":
      return {
        wire: wireTypes.varint,
        write: (writer, value) => writer.int64((value as Int64) ?? 0),
      };
    case "number":
      return {
        wire: wireTypes.fixed64,
        write: (writer, value) => writer.double((value as number) ?? 0),
      };
    case "bytes":
      return { wire: wireTypes.bytes, write: writeBytes };
    default: {
      const write = specialWriter(type);
      return { wire: wireTypes.bytes, write: (writer, value) => writeNested(writer, value, write) };
    }
  }
}

function specialWriter(type: ScalarSchema["type"]): WriteValue {
  switch (type) {
    case "quantity":
      return writeQuantity;
    case "intOrString":
      return writeIntOrString;
    case "time":
      return (writer, value) => writeTime(writer, value, rfc3339);
    case "microTime":
      return (writer, value) => writeTime(writer, value, rfc3339Micro);
    case "duration":
      return writeDuration;
    case "rawExtension":
    case "fieldsV1":
    case "json":
      return writeRaw;
    default:
      throw new Error(`${type} has no message`);
  }
}

function writeBytes(writer: WireWriter, value: unknown): void {
  writer.bytes(Buffer.from((value as string) ?? "", "base64"));
}

function writeQuantity(writer: WireWriter, value: unknown): void {
  writer.string((value as string) ?? "0");
  writer.uint32(0x0a);
}

function writeIntOrString(writer: WireWriter, value: unknown): void {
  const isString = typeof value === "string";
  writer.string(isString ? value : "");
  writer.uint32(0x1a);
  writer.int64(isString ? 0 : ((value as number) ?? 0));
  writer.uint32(0x10);
  writer.uint32(isString ? 1 : 0);
  writer.uint32(0x08);
}

/** Go's zero time is an empty message. */
function writeTime(writer: WireWriter, value: unknown, layout: TimeLayout): void {
  if (value === undefined || value === null) return;
  const { seconds, nanos } = parseTime(value as string, layout);
  writer.uint32(layout === rfc3339 ? 0 : nanos);
  writer.uint32(0x10);
  writer.int64(seconds);
  writer.uint32(0x08);
}

function writeDuration(writer: WireWriter, value: unknown): void {
  writer.int64(value === undefined || value === null ? 0 : parseNanos(value as string));
  writer.uint32(0x08);
}

function writeRaw(writer: WireWriter, value: unknown): void {
  if (value === undefined || value === null) return;
  writer.string(writeJson(value));
  writer.uint32(0x0a);
}
