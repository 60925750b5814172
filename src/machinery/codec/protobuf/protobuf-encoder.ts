import type {
  ListSchema,
  MapSchema,
  ScalarSchema,
  Schema,
  StructSchema,
} from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { type WireWriter, wireKey, wireTypes } from "#/std/protobuf/protobuf-wire.ts";
import { compareKeys } from "../shape/compare-keys.ts";
import type { FieldShape } from "../shape/struct-shape.ts";
import { type MessageField, messageOf } from "./protobuf-message.ts";
import { scalarWriter, type WriteValue, writeNested } from "./protobuf-scalar-writer.ts";

type Fields = Record<string, unknown>;

/** Writes a field of an object with its key; nothing where gogo writes nothing. */
type WriteField = (writer: WireWriter, object: Fields) => void;

/**
 * The function that writes an object in memory form as a message, from its end, as gogo would:
 * ascending numbers, maps sorted by key, and every field that is not a pointer, a list or a map,
 * even if it is zero. Compiled once.
 *
 * Upstream: generated.pb.go of each package, made by gogo/protobuf.
 */
export const messageWriterOf: (schema: StructSchema) => WriteValue = memoByIdentity(compile, {
  identity: ({ fields }) => fields,
  // A message may be recursive: until it is compiled, references look it up when they are used.
  meanwhile: (schema) => (writer, value) => messageWriterOf(schema)(writer, value),
});

function compile(schema: StructSchema): WriteValue {
  const writeFields = fieldsWriter(messageOf(schema));
  return (writer, value) => writeFields(writer, (value as Fields) ?? {});
}

function fieldsWriter(message: readonly MessageField[]): WriteField {
  const writers = message.map(fieldWriter).reverse();
  return (writer, object) => {
    for (const write of writers) write(writer, object);
  };
}

function fieldWriter(field: MessageField): WriteField {
  if ("shape" in field) return shapeWriter(field.shape, field.number);
  const writeFields = fieldsWriter(field.embedded);
  const key = wireKey(field.number, wireTypes.bytes);
  return (writer, object) => {
    const mark = writer.mark();
    writeFields(writer, object);
    writer.length(mark);
    writer.uint32(key);
  };
}

function shapeWriter({ name, schema, field }: FieldShape, number: number): WriteField {
  if (schema.type === "list" && !schema.wrapped) return listWriter(name, schema, number);
  if (schema.type === "map") return mapWriter(name, schema, number);
  const { wire, write } = valueWriter(schema);
  const key = wireKey(number, wire);
  const optional = field.pointer || schema.type === "bytes";
  return (writer, object) => {
    const value = object[name];
    if (optional && (value === undefined || value === null)) return;
    write(writer, value);
    writer.uint32(key);
  };
}

function valueWriter(schema: Schema): { wire: number; write: WriteValue } {
  switch (schema.type) {
    case "struct":
      return nested(messageWriterOf(schema));
    case "list":
      return nested(wrappedListWriter(schema));
    case "jsonSchemaPropsOrBool":
    case "jsonSchemaPropsOrArray":
    case "jsonSchemaPropsOrStringArray":
      return nested(jsonSchemaWriter(schema));
    case "map":
    case "any":
      throw new Error(`a ${schema.type} has no message`);
    default:
      return scalarWriter(schema);
  }
}

function nested(write: WriteValue): { wire: number; write: WriteValue } {
  return { wire: wireTypes.bytes, write: (writer, value) => writeNested(writer, value, write) };
}

function listWriter(name: string, { items }: ListSchema, number: number): WriteField {
  const { wire, write } = valueWriter(items);
  const key = wireKey(number, wire);
  return (writer, object) => {
    const list = object[name] as readonly unknown[] | null | undefined;
    if (list === undefined || list === null) return;
    for (let i = list.length - 1; i >= 0; i--) {
      write(writer, list[i]);
      writer.uint32(key);
    }
  };
}

function mapWriter(name: string, { values }: MapSchema, number: number): WriteField {
  const { wire, write } = valueWriter(values);
  const key = wireKey(number, wireTypes.bytes);
  const valueKey = wireKey(2, wire);
  const optional = values.type === "bytes";
  return (writer, object) => {
    const map = object[name] as Fields | null | undefined;
    if (map === undefined || map === null) return;
    for (const entry of Object.keys(map).sort(compareKeys).reverse()) {
      const mark = writer.mark();
      const value = map[entry];
      if (!optional || (value !== undefined && value !== null)) {
        write(writer, value);
        writer.uint32(valueKey);
      }
      writer.string(entry);
      writer.uint32(0x0a);
      writer.length(mark);
      writer.uint32(key);
    }
  };
}

/** A message with a list as its only field, number 1. */
function wrappedListWriter({ items }: ListSchema): WriteValue {
  const list: ListSchema = { type: "list", items, listType: "atomic" };
  const writeItems = listWriter("items", list, 1);
  return (writer, value) => writeItems(writer, { items: value });
}

/** Field 1 is the schema, or whether any value is allowed; field 2 the schema, or the list. */
function jsonSchemaWriter({ type, struct }: ScalarSchema): WriteValue {
  if (struct === undefined) throw new Error(`${type} without its JSONSchemaProps`);
  const { write: writeSchema } = valueWriter(struct);
  const items: Schema = type === "jsonSchemaPropsOrStringArray" ? { type: "string" } : struct;
  const writeList = listWriter("list", { type: "list", items, listType: "atomic" }, 2);
  const schemaKey = wireKey(type === "jsonSchemaPropsOrBool" ? 2 : 1, wireTypes.bytes);
  return (writer, value) => {
    if (Array.isArray(value)) writeList(writer, { list: value });
    else if (typeof value === "object" && value !== null) {
      writeSchema(writer, value);
      writer.uint32(schemaKey);
    }
    if (type !== "jsonSchemaPropsOrBool") return;
    writer.bool(typeof value === "object" || value === true);
    writer.uint32(0x08);
  };
}
