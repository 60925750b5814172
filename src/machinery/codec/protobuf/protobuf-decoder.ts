import type { MapSchema, ScalarSchema, Schema, StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { WireError, wireKey, wireTypes } from "#/std/protobuf/protobuf-wire.ts";
import { setOwn } from "../shape/own-property.ts";
import { type FieldShape, shapeOf, zeroOf } from "../shape/struct-shape.ts";
import { type MessageField, messageOf } from "./protobuf-message.ts";
import {
  type MessageReader,
  type ReadValue,
  readNested,
  scalarReader,
} from "./protobuf-scalar-reader.ts";

/**
 * The function that reads a message, up to the end of the reader, into an object in memory form. It
 * is generated as source text, once for each type: constant property names in the text make it
 * twice as fast as a loop over a table, which is needed to be as fast as JSON.parse. Only the names
 * and numbers of built-in types are in the text.
 *
 * Upstream: generated.pb.go of each package, made by gogo/protobuf.
 */
export const messageReaderOf: (schema: StructSchema) => ReadValue = memoByIdentity(
  (schema) => new MessageProgram(schema).compile(),
  {
    identity: ({ fields }) => fields,
    // A message may be recursive: until it is compiled, references look it up when they are used.
    meanwhile: (schema) => (reader) => messageReaderOf(schema)(reader),
  },
);

/** The source text that reads one message, and the values that it references. */
class MessageProgram {
  readonly #schema: StructSchema;
  readonly #values: unknown[] = [];

  constructor(schema: StructSchema) {
    this.#schema = schema;
  }

  compile(): ReadValue {
    const message = messageOf(this.#schema);
    const shapes = shapeOf(this.#schema).fields.filter(({ field }) => field.number !== undefined);
    const source = [
      ...shapes.map((shape) => `let ${local(shape)};`),
      ...this.#loop(message),
      "const object = {};",
      ...shapes.map((shape) => this.#assign(shape)),
      "return object;",
    ].join("\n");
    const make = new Function(
      "values",
      "readNested",
      "setOwn",
      `return (reader) => {\n${source}\n};`,
    );
    return make(this.#values, readNested, setOwn) as ReadValue;
  }

  /** Makes a value available to the text. */
  #refer(value: unknown): string {
    return `values[${this.#values.push(value) - 1}]`;
  }

  #loop(message: readonly MessageField[]): string[] {
    const numbers = new Set(message.map(({ number }) => number));
    return [
      "while (reader.pos < reader.end) {",
      "const key = reader.key();",
      "switch (key) {",
      ...message.flatMap((field) => this.#cases(field)),
      `default: ${this.#refer(skipOther(numbers))}(reader, key);`,
      "}",
      "}",
    ];
  }

  #cases(field: MessageField): string[] {
    const { number } = field;
    if ("embedded" in field) {
      const inner = this.#loop(field.embedded);
      return [
        `case ${wireKey(number, wireTypes.bytes)}: readNested(reader, () => {`,
        ...inner,
        "}); break;",
      ];
    }
    const { shape } = field;
    const { schema } = shape;
    if (schema.type === "map") return [this.#mapCase(number, shape, schema)];
    if (schema.type !== "list" || schema.wrapped) return [this.#singleCase(number, shape)];
    const { items } = schema;
    const zero = zeroOf(items) === undefined ? " ?? null" : "";
    // A nested message counts itself.
    const count = items.type === "struct" ? "" : "reader.count(), ";
    const push = `${count}(${local(shape)} ??= []).push(${this.#value(items)}${zero});`;
    const cases = [`case ${wireKey(number, wireOf(items))}: ${push} break;`];
    if (wireOf(items) !== wireTypes.bytes) {
      // Numbers may also be packed, all of them in one record.
      const all = `while (reader.pos < reader.end) ${push}`;
      cases.push(
        `case ${wireKey(number, wireTypes.bytes)}: readNested(reader, () => { ${all} }); break;`,
      );
    }
    return cases;
  }

  #singleCase(number: number, shape: FieldShape): string {
    const { schema, omitsEmpty } = shape;
    const key = wireKey(number, wireOf(schema));
    // "", 0, false and an empty byte string are falsy; other types that can be omitted are handled
    // elsewhere.
    const read = omitsEmpty ? `${this.#value(schema)} || undefined` : this.#value(schema);
    return `case ${key}: ${local(shape)} = ${read}; break;`;
  }

  #mapCase(number: number, shape: FieldShape, { values }: MapSchema): string {
    const zero = this.#refer(() => zeroOf(values) ?? null);
    const valueKey = wireKey(2, wireOf(values));
    const entry = [
      "reader.count();",
      'let key = "", value;',
      "while (reader.pos < reader.end) {",
      "const tag = reader.key();",
      "if (tag === 10) key = reader.string();",
      `else if (tag === ${valueKey}) value = ${this.#value(values)};`,
      "else reader.skip(tag);",
      "}",
      `setOwn(${local(shape)} ??= {}, key, value ?? ${zero}());`,
    ];
    return `case ${wireKey(number, wireTypes.bytes)}: ${this.#within(entry)} break;`;
  }

  /** Statements that read only the bytes of a length-delimited record. */
  #within(statements: readonly string[]): string {
    return [
      "{",
      "const end = reader.length(), outer = reader.end;",
      "reader.end = end;",
      ...statements,
      "reader.end = outer;",
      "}",
    ].join("\n");
  }

  #value(schema: Schema): string {
    switch (schema.type) {
      case "string":
        return "reader.string()";
      case "boolean":
        return "reader.bool()";
      case "integer":
        return schema.format === "int32" ? "reader.int32()" : "reader.int64()";
      case "struct":
        return `readNested(reader, ${this.#refer(messageReaderOf(schema))})`;
      default:
        return `${this.#refer(valueReader(schema))}(reader)`;
    }
  }

  #assign(shape: FieldShape): string {
    const name = JSON.stringify(shape.name);
    const variable = local(shape);
    if (shape.unset === "zero") {
      return `object[${name}] = ${variable} ?? ${this.#refer(shape.zero)}();`;
    }
    return `if (${variable} !== undefined) object[${name}] = ${variable};`;
  }
}

function local({ index }: FieldShape): string {
  return `field${index}`;
}

function wireOf({ type }: Schema): number {
  if (type === "boolean" || type === "integer") return wireTypes.varint;
  return type === "number" ? wireTypes.fixed64 : wireTypes.bytes;
}

/** Skips unknown fields, and known fields with a wrong wire type. */
function skipOther(numbers: ReadonlySet<number>): (reader: MessageReader, key: number) => void {
  return (reader, key) => {
    if (numbers.has(key >>> 3)) throw new WireError(`proto: wrong wireType = ${key & 7}`);
    reader.skip(key);
  };
}

/** Reads a value that is a message, after its length. */
function valueReader(schema: Schema): ReadValue {
  switch (schema.type) {
    case "struct": {
      const read = messageReaderOf(schema);
      return (reader) => readNested(reader, read);
    }
    case "list": {
      const read = wrappedListReader(schema.items);
      return (reader) => readNested(reader, read);
    }
    case "jsonSchemaPropsOrBool":
    case "jsonSchemaPropsOrArray":
    case "jsonSchemaPropsOrStringArray": {
      const read = jsonSchemaReader(schema);
      return (reader) => readNested(reader, read);
    }
    case "map":
    case "any":
      throw new Error(`a ${schema.type} has no message`);
    default:
      return scalarReader(schema);
  }
}

/** A message with a list as its only field, number 1. */
function wrappedListReader(items: Schema): ReadValue {
  const read = valueReader(items);
  return (reader) => {
    const list: unknown[] = [];
    while (reader.pos < reader.end) {
      const key = reader.key();
      if (key === 0x0a) list.push(read(reader));
      else reader.skip(key);
    }
    return list;
  };
}

/** Field 1 is the schema, or whether any value is allowed; field 2 the schema, or the list. */
function jsonSchemaReader({ type, struct }: ScalarSchema): ReadValue {
  if (struct === undefined) throw new Error(`${type} without its JSONSchemaProps`);
  const readSchema = valueReader(struct);
  const isBool = type === "jsonSchemaPropsOrBool";
  const isStrings = type === "jsonSchemaPropsOrStringArray";
  return (reader) => {
    let allows = false;
    let schema: unknown;
    const list: unknown[] = [];
    while (reader.pos < reader.end) {
      const key = reader.key();
      if (key === 0x08 && isBool) allows = reader.bool();
      else if (key === (isBool ? 0x12 : 0x0a)) schema = readSchema(reader);
      else if (key === 0x12) list.push(isStrings ? reader.string() : readSchema(reader));
      else reader.skip(key);
    }
    if (isBool) return schema ?? allows;
    return list.length > 0 ? list : schema;
  };
}
