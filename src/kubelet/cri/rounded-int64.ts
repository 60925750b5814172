import { bigInt64, type SingularField, type ValueType } from "#/std/protobuf/protobuf-field.ts";
import { wireKey } from "#/std/protobuf/protobuf-wire.ts";

/**
 * An int64 of the CRI as a number: nanoseconds since 1970 (good to a microsecond), and amounts of memory up to "no limit",
 * which is beyond 2^53 and need not be exact.
 */
export function roundedInt64(number: number): SingularField<number> {
  const exact = bigInt64(number);
  const type: ValueType<number> = {
    wireType: exact.type.wireType,
    read: (reader) => Number(exact.type.read(reader)),
    write: (writer, value) => exact.type.write(writer, BigInt(Math.trunc(value))),
  };
  return {
    number,
    type,
    initial: 0,
    readers: new Map([[wireKey(number, type.wireType), (reader) => type.read(reader)]]),
    write: (writer, value) => exact.write(writer, BigInt(Math.trunc(value))),
  };
}
