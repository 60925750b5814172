import { optional } from "./optional-field.ts";
import type { Field, SingularField, ValueType } from "./protobuf-field.ts";
import { WireReader, WireWriter, wireKey, wireTypes } from "./protobuf-wire.ts";

/**
 * A proto3 message declared as data: `message({ name: string(1), tags: repeated(string(2)) })`. The TypeScript types follow
 * from the declaration. A field at its default is not written; an absent one reads as its default; unknown fields, and
 * known ones in another wire type, are skipped.
 */
export interface Message<Out, In> {
  encode(value: In): Uint8Array;
  /**
   * Throws WireError for invalid bytes, or for more records than a limit: an empty one takes two bytes, and its object
   * much more. The result refers to them only by bytesView().
   */
  decode(bytes: Uint8Array, maxRecords?: number): Out;
  /** Writes the fields, without a length. */
  write(writer: WireWriter, value: In): void;
  /** Reads fields up to the reader's end, into an existing message or a new one. */
  read(reader: WireReader, begun?: Out): Out;
}

/** The result of decode: every property is present. */
export type Decoded<M> = M extends Message<infer Out, infer _In> ? Out : never;

/** The input of encode: every property is optional. */
export type Encodable<M> = M extends Message<infer _Out, infer In> ? In : never;

type Fields = Readonly<Record<string, Field<unknown, never>>>;

type Out<F> = F extends Field<infer O, infer _In> ? O : never;

type In<F> = F extends Field<infer _Out, infer I> ? I : never;

type FieldsOut<F> = { readonly [N in keyof F]: Out<F[N]> };

type FieldsIn<F> = { readonly [N in keyof F]?: In<F[N]> | undefined };

/** Compiles a declaration. */
export function message<F extends Fields>(fields: F): Message<FieldsOut<F>, FieldsIn<F>> {
  const slots = slotsByKey(fields);
  const lastFirst = Object.entries(fields).reverse();
  const initial = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.initial]),
  );

  function write(writer: WireWriter, value: FieldsIn<F>): void {
    for (const [name, field] of lastFirst) {
      const held = value[name];
      if (held !== undefined) field.write(writer, held as never);
    }
  }
  function read(reader: WireReader, begun?: FieldsOut<F>): FieldsOut<F> {
    const target: Record<string, unknown> = begun ?? { ...initial };
    while (reader.pos < reader.end) {
      const key = reader.key();
      const slot = slots[key];
      if (slot === undefined) reader.skip(key);
      else target[slot.name] = slot.read(reader, target[slot.name]);
    }
    return target as FieldsOut<F>;
  }
  return {
    write,
    read,
    encode(value) {
      const writer = new WireWriter();
      write(writer, value);
      return writer.finish();
    },
    decode: (bytes, maxRecords) => read(new WireReader(bare(bytes), 0, bytes.length, maxRecords)),
  };
}

interface Slot {
  readonly name: string;
  readonly read: (reader: WireReader, held: unknown) => unknown;
}

/** An array, because the keys of small field numbers are small. */
function slotsByKey(fields: Fields): Slot[] {
  const slots: Slot[] = [];
  for (const [name, field] of Object.entries(fields)) {
    for (const [key, read] of field.readers) slots[key] = { name, read };
  }
  return slots;
}

/** The same bytes as a Uint8Array instead of a Buffer, so that copies are not Buffers either. */
function bare(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A message within a message; undefined when absent. */
export function nested<O, I>(number: number, of: Message<O, I>): SingularField<O, I, undefined> {
  const type: ValueType<O, I> = {
    wireType: wireTypes.bytes,
    read(reader, held) {
      const end = reader.length();
      const outerEnd = reader.end;
      reader.end = end;
      const value = of.read(reader, held as O | undefined);
      reader.end = outerEnd;
      return value;
    },
    write(writer, value) {
      const mark = writer.mark();
      of.write(writer, value);
      writer.length(mark);
    },
  };
  return optional({ number, type, initial: undefined, readers: new Map(), write: type.write });
}

/** A list. Numbers are written packed and read either way. */
export function repeated<O, I, Initial>(
  field: SingularField<O, I, Initial>,
): Field<readonly O[], readonly I[]> {
  const { number, type } = field;
  const initial: readonly O[] = [];
  const key = wireKey(number, type.wireType);
  const packedKey = wireKey(number, wireTypes.bytes);
  const packed = packedKey !== key;

  function readOne(reader: WireReader, held: unknown): readonly O[] {
    // A list other than the shared empty one was made here and has no other reference yet.
    const list = held === initial ? [] : (held as O[]);
    list.push(type.read(reader));
    return list;
  }
  function readPacked(reader: WireReader, held: unknown): readonly O[] {
    const end = reader.length();
    const outerEnd = reader.end;
    reader.end = end;
    let list = held as readonly O[];
    while (reader.pos < end) {
      reader.countRecord();
      list = readOne(reader, list);
    }
    reader.end = outerEnd;
    return list;
  }
  function write(writer: WireWriter, values: readonly I[]): void {
    const mark = writer.mark();
    for (let index = values.length - 1; index >= 0; index--) {
      type.write(writer, values[index] as I);
      if (!packed) writer.uint32(key);
    }
    if (!packed || values.length === 0) return;
    writer.length(mark);
    writer.uint32(packedKey);
  }
  const readers = new Map([[key, readOne]]);
  if (packed) readers.set(packedKey, readPacked);
  return { initial, readers, write };
}

/** A map with text keys: `map(3, string, bytes)`. */
export function map<O, I, Initial>(
  number: number,
  key: (number: number) => SingularField<string>,
  value: (number: number) => SingularField<O, I, Initial>,
): Field<Readonly<Record<string, O | Initial>>, Readonly<Record<string, I>>> {
  const entry = nested(number, message({ key: key(1), value: value(2) }));
  const initial: Readonly<Record<string, O | Initial>> = {};
  return {
    initial,
    readers: new Map([
      [
        wireKey(number, wireTypes.bytes),
        (reader, held) => {
          const read = entry.type.read(reader);
          const record = held === initial ? {} : (held as typeof initial);
          // Not an assignment: a key named __proto__ must become an ordinary property.
          const data = { value: read.value, writable: true, enumerable: true, configurable: true };
          return Object.defineProperty(record, read.key, data);
        },
      ],
    ]),
    write(writer, record) {
      for (const [name, held] of Object.entries(record).reverse()) {
        entry.write(writer, { key: name, value: held });
      }
    },
  };
}

type Members = Readonly<Record<string, SingularField<unknown, never, unknown>>>;

type OneOf<T> = {
  [N in keyof T]: { readonly [K in N]: T[K] } & { readonly [K in Exclude<keyof T, N>]?: undefined };
}[keyof T];

type MemberOut<F> = F extends SingularField<infer O, infer _In, infer _Initial> ? O : never;

type MemberIn<F> = F extends SingularField<infer _Out, infer I, infer _Initial> ? I : never;

/** At most one of several fields, as an object with that one property: `{ put: … }`. */
export function oneof<M extends Members>(
  members: M,
): Field<
  OneOf<{ [N in keyof M]: MemberOut<M[N]> }> | undefined,
  OneOf<{ [N in keyof M]: MemberIn<M[N]> }>
> {
  type Value = OneOf<{ [N in keyof M]: MemberOut<M[N]> }>;
  const readers = new Map<number, (reader: WireReader, held: unknown) => Value>();
  const writers = new Map<string, Field<unknown, never>["write"]>();
  for (const [name, member] of Object.entries(members)) {
    const { number, type } = member;
    writers.set(name, optional(member).write);
    readers.set(wireKey(number, type.wireType), (reader, held) => {
      const before = (held as Readonly<Record<string, unknown>> | undefined)?.[name];
      return { [name]: type.read(reader, before) } as Value;
    });
  }
  return {
    initial: undefined,
    readers,
    write(writer, value) {
      for (const [name, held] of Object.entries(value)) {
        if (held !== undefined) writers.get(name)?.(writer, held as never);
      }
    },
  };
}
