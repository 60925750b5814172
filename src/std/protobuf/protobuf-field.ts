import {
  type Int64,
  WireError,
  type WireReader,
  type WireWriter,
  wireKey,
  wireTypes,
} from "./protobuf-wire.ts";

/** A property of a message: how it is read and written, keys included. */
export interface Field<Out, In = Out> {
  /** The value of an absent field. */
  readonly initial: Out;
  /**
   * Readers by wire key: each gets the current value of the property (an Out) and returns the new
   * one.
   */
  readonly readers: ReadonlyMap<number, (reader: WireReader, held: unknown) => Out>;
  readonly write: (writer: WireWriter, value: In) => void;
}

/** A field with one value, which can also be the element of a repeated or optional one. */
export interface SingularField<Out, In = Out, Initial = Out> extends Field<Out | Initial, In> {
  readonly number: number;
  readonly type: ValueType<Out, In>;
}

/** A value without its key. */
export interface ValueType<Out, In = Out> {
  readonly wireType: number;
  /** A message is merged into the current one, if there is one. */
  readonly read: (reader: WireReader, held?: unknown) => Out;
  readonly write: (writer: WireWriter, value: In) => void;
}

/** Makes fields of a type with a default, which is not written. */
function scalar<T>(zero: T, type: ValueType<T>): (number: number) => SingularField<T> {
  return (number) => {
    const key = wireKey(number, type.wireType);
    return {
      number,
      type,
      initial: zero,
      readers: new Map([[key, (reader: WireReader) => type.read(reader)]]),
      write(writer, value) {
        if (value === zero) return;
        type.write(writer, value);
        writer.uint32(key);
      },
    };
  };
}

function varint<T>(
  read: (reader: WireReader) => T,
  write: (writer: WireWriter, value: T) => void,
): ValueType<T> {
  return { wireType: wireTypes.varint, read, write };
}

/** Text; invalid UTF-8 becomes U+FFFD. */
export const string = scalar<string>("", {
  wireType: wireTypes.bytes,
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(value),
});

const noBytes = new Uint8Array(0);

function bytesRead(
  read: (reader: WireReader) => Uint8Array,
): (number: number) => SingularField<Uint8Array> {
  const write = (writer: WireWriter, value: Uint8Array): void => writer.bytes(value);
  const fieldOf = scalar<Uint8Array>(noBytes, { wireType: wireTypes.bytes, read, write });
  return (number) => {
    const field = fieldOf(number);
    return {
      ...field,
      write: (writer, value) => field.write(writer, value.length > 0 ? value : noBytes),
    };
  };
}

/** Bytes; read as a copy, so that a small value does not keep a large message in memory. */
export const bytes = bytesRead((reader) => {
  const view = reader.view();
  return view.length === 0 ? noBytes : view.slice();
});

/** Bytes; read as a view of the message, which stays in memory as long as one of its views. */
export const bytesView = bytesRead((reader) => reader.view());

export const bool = scalar<boolean>(
  false,
  varint(
    (reader) => reader.bool(),
    (writer, value) => writer.bool(value),
  ),
);

export const int32 = scalar<number>(
  0,
  varint(
    (reader) => reader.int32(),
    (writer, value) => writer.int64(value),
  ),
);

export const uint32 = scalar<number>(
  0,
  varint(
    (reader) => reader.uint32(),
    (writer, value) => writer.uint32(value),
  ),
);

export const double = scalar<number>(0, {
  wireType: wireTypes.fixed64,
  read: (reader) => reader.double(),
  write: (writer, value) => writer.double(value),
});

/** A uint64 in eight bytes (nanoseconds since 1970). */
export const fixed64 = scalar<bigint>(0n, {
  wireType: wireTypes.fixed64,
  read: (reader) => BigInt(reader.fixed64()),
  write: (writer, value) => writer.fixed64(value),
});

/** An int64 that is a safe integer in practice (revisions, counts); refused beyond 2^53. */
export const int64 = scalar<number>(
  0,
  varint(
    (reader) => safe(reader.int64()),
    (writer, value) => writer.int64(safe(value)),
  ),
);

/** A uint64 that is a safe integer in practice (sizes); refused beyond 2^53. */
export const uint64 = scalar<number>(
  0,
  varint(
    (reader) => safe(reader.uint64()),
    (writer, value) => writer.uint64(safe(value)),
  ),
);

/** An int64 with all bits in use (identifiers, nanoseconds since 1970). */
export const bigInt64 = scalar<bigint>(
  0n,
  varint(
    (reader) => BigInt(reader.int64()),
    (writer, value) => writer.int64(value),
  ),
);

/** A uint64 with all bits in use (identifiers). */
export const bigUint64 = scalar<bigint>(
  0n,
  varint(
    (reader) => BigInt(reader.uint64()),
    (writer, value) => writer.uint64(value),
  ),
);

function safe(value: Int64): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new WireError(`proto: integer ${value} is beyond 2^53`);
}

/** An enumeration by its names. A number without a name (a newer peer's) is read as that number. */
export function enumeration<const N extends Readonly<Record<string, number>>>(
  number: number,
  numbers: N,
): SingularField<(keyof N & string) | number> {
  type Value = (keyof N & string) | number;
  const byName: ReadonlyMap<Value, number> = new Map(Object.entries(numbers));
  const byNumber: ReadonlyMap<number, Value> = new Map([...byName].map(([name, n]) => [n, name]));
  const read = (reader: WireReader): Value => {
    const value = reader.int32();
    return byNumber.get(value) ?? value;
  };
  const write = (writer: WireWriter, value: Value): void =>
    writer.int64(typeof value === "number" ? value : (byName.get(value) ?? 0));
  return scalar<Value>(byNumber.get(0) ?? 0, varint(read, write))(number);
}
