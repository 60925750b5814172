import type { SingularField } from "./protobuf-field.ts";
import { wireKey } from "./protobuf-wire.ts";

/** A field with presence: undefined when absent, and written even at its default. */
export function optional<O, I, Initial>(
  field: SingularField<O, I, Initial>,
): SingularField<O, I, undefined> {
  const { number, type } = field;
  const key = wireKey(number, type.wireType);
  return {
    number,
    type,
    initial: undefined,
    readers: new Map([[key, type.read]]),
    write(writer, value) {
      type.write(writer, value);
      writer.uint32(key);
    },
  };
}
