import type { ListSchema, MapSchema, Schema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { zeroOf } from "../shape/struct-shape.ts";
import { type Decode, scalarDecoder } from "./json-scalars.ts";
import { jsonSchemaDecoder } from "./json-schema-decoder.ts";
import { decodeRaw } from "./raw-decoder.ts";
import { isObject, structDecoder } from "./struct-decoder.ts";

/**
 * The decoder of a Go type, compiled once. It takes over the parsed value and may change it.
 *
 * Upstream: vendor/sigs.k8s.io/json/internal/golang/encoding/json/decode.go.
 */
export const decoderOf: (schema: Schema) => Decode = memoByIdentity(compile, {
  // A type may be recursive: until it is compiled, references look it up when they are used.
  meanwhile: (schema) => (value, state) => decoderOf(schema)(value, state),
});

function compile(schema: Schema): Decode {
  switch (schema.type) {
    case "struct":
      return structDecoder(schema, decoderOf);
    case "list":
      return listDecoder(schema);
    case "map":
      return mapDecoder(schema);
    case "jsonSchemaPropsOrBool":
    case "jsonSchemaPropsOrArray":
    case "jsonSchemaPropsOrStringArray":
      return jsonSchemaDecoder(schema, decoderOf);
    case "rawExtension":
    case "fieldsV1":
    case "json":
    case "any":
      return decodeRaw;
    default:
      return scalarDecoder(schema);
  }
}

/** A null item is the zero value of its type. */
function listDecoder(schema: ListSchema): Decode {
  const { items } = schema;
  const decode = decoderOf(items);
  const plain = items.type === "string";
  return (value, state) => {
    if (!Array.isArray(value)) return state.mismatch(value, schema);
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (plain && typeof item === "string") continue;
      state.path.push(i);
      value[i] = (item === null ? undefined : decode(item, state)) ?? zeroOf(items) ?? null;
      state.path.pop();
    }
    return value;
  };
}

function mapDecoder(schema: MapSchema): Decode {
  const { values } = schema;
  const decode = decoderOf(values);
  const plain = values.type === "string";
  return (value, state) => {
    if (!isObject(value)) return state.mismatch(value, schema);
    for (const key in value) {
      state.keys++;
      const item = value[key];
      if (plain && typeof item === "string") continue;
      state.path.push(key);
      const decoded = (item === null ? undefined : decode(item, state)) ?? zeroOf(values) ?? null;
      if (decoded !== item) value[key] = decoded;
      state.path.pop();
    }
    return value;
  };
}
