import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import type { Steps } from "#/std/base/steps.ts";
import { isObject, type Json } from "./open-api.ts";
import type { V2Document } from "./v2-document.ts";

/**
 * OpenAPI v2 in protobuf, which clients of the Go library request.
 *
 * Upstream: github.com/google/gnostic-models/openapiv2/OpenAPIv2.proto.
 */

/** Maps a property of a JSON object to a field of a message. */
type Write = (number: number, value: unknown) => Buffer[];
type Message = Readonly<Record<string, readonly [number: number, write: Write]>>;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

function delimited(number: number, parts: readonly Buffer[]): Buffer[] {
  const length = parts.reduce((total, part) => total + part.length, 0);
  return [varint(number * 8 + 2), varint(length), ...parts];
}

const text: Write = (number, value) => delimited(number, [Buffer.from(String(value))]);
const texts: Write = (number, value) => (value as string[]).flatMap((one) => text(number, one));
const flag: Write = (number, value) => (value ? [varint(number * 8), varint(1)] : []);
const integer: Write = (number, value) => [varint(number * 8), varint(value as number)];
const double: Write = (number, value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value as number);
  return [varint(number * 8 + 1), bytes];
};
/** Anything, as YAML. */
const any: Write = (number, value) => delimited(number, text(2, writeYaml(value)));
const anyList: Write = (number, value) => (value as unknown[]).flatMap((one) => any(number, one));
const message =
  (fields: () => Message, extensions?: number): Write =>
  (number, value) =>
    delimited(number, writeFields(value as Json, fields(), extensions));
/** A message with one entry for each property. */
const named =
  (write: Write, entry = 1): Write =>
  (number, value) =>
    delimited(number, entries(value as Json, write, entry));
const listOf =
  (write: Write): Write =>
  (number, value) =>
    (value as unknown[]).flatMap((one) => write(number, one));
/** One of several messages within a message of its own. */
const within =
  (inner: number, write: Write): Write =>
  (number, value) =>
    delimited(number, write(inner, value));

function entries(object: Json, write: Write, entry: number): Buffer[] {
  return Object.entries(object).flatMap(([name, value]) =>
    delimited(entry, [...text(1, name), ...write(2, value)]),
  );
}

function writeFields(object: Json, fields: Message, extensions = 0): Buffer[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const [number, write] = fields[name] ?? [];
    if (number !== undefined && write) return write(number, value);
    if (!name.startsWith("x-") || extensions === 0) return [];
    return delimited(extensions, [...text(1, name), ...any(2, value)]);
  });
}

const schemaFields: Message = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, texts],
  enum: [20, anyList],
  additionalProperties: [
    21,
    (number, value) =>
      delimited(number, isObject(value) ? schema(1, value) : [varint(16), varint(value ? 1 : 0)]),
  ],
  type: [22, within(1, text)],
  items: [23, (number, value) => delimited(number, schema(1, value))],
  properties: [25, (number, value) => named(schema)(number, value)],
};
const schema = message(() => schemaFields, 31);

const queryFields: Message = {
  required: [1, flag],
  in: [2, text],
  name: [4, text],
  type: [6, text],
  uniqueItems: [20, flag],
};
const pathFields: Message = {
  required: [1, flag],
  in: [2, text],
  name: [4, text],
  type: [5, text],
  uniqueItems: [19, flag],
};
const bodyFields: Message = {
  name: [2, text],
  in: [3, text],
  required: [4, flag],
  schema: [5, schema],
};
const bodyParameter = message(() => bodyFields);
const queryParameter = within(
  3,
  message(() => queryFields),
);
const pathParameter = within(
  4,
  message(() => pathFields),
);
const parameter: Write = (number, value) => {
  const { in: place } = value as { in: string };
  const write =
    place === "body" ? bodyParameter : place === "path" ? pathParameter : queryParameter;
  return delimited(number, delimited(1, write(place === "body" ? 1 : 2, value)));
};

const response = message(() => ({ description: [1, text], schema: [2, within(1, schema)] }));
const operation = message(
  () => ({
    tags: [1, texts],
    operationId: [5, text],
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, listOf(parameter)],
    responses: [9, named(within(1, response))],
    schemes: [10, texts],
  }),
  13,
);
const pathItem = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, listOf(parameter)],
}));
const keySecurity = message(() => ({
  type: [1, text],
  name: [2, text],
  in: [3, text],
  description: [4, text],
}));
const documentFields: Message = {
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text] }))],
  security: [12, listOf(named((number, value) => delimited(number, texts(1, value))))],
  securityDefinitions: [13, named(within(2, keySecurity))],
};

/** A whole document of OpenAPI v2 in protobuf. */
export function* encodeV2Protobuf(document: V2Document): Steps<Uint8Array> {
  const { head, paths, definitions, tail } = document;
  return Buffer.concat([
    ...writeFields(head, documentFields),
    ...delimited(8, yield* encodeEntries(paths, pathItem, 2)),
    ...delimited(9, yield* encodeEntries(definitions, schema, 1)),
    ...writeFields(tail, documentFields),
  ]);
}

function* encodeEntries(
  texts: ReadonlyMap<string, string>,
  write: Write,
  entry: number,
): Steps<Buffer[]> {
  const encoded: Buffer[] = [];
  for (const [name, json] of texts) {
    encoded.push(Buffer.concat(entries({ [name]: JSON.parse(json) }, write, entry)));
    yield;
  }
  return encoded;
}
