import type { Schema, StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { decoderOf } from "./json-decoder.ts";
import type { Decode } from "./json-scalars.ts";
import { countKeys, decodeRaw } from "./raw-decoder.ts";
import { isObject } from "./struct-decoder.ts";

/**
 * The decoder of a part of a custom resource, compiled once. It drops and reports fields that are
 * not specified; types are checked by validation. Parts that have a Go type, such as metadata, are
 * decoded as Go does.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 */
export const customDecoderOf: (schema: Schema) => Decode = memoByIdentity(compile, {
  meanwhile: (schema) => (value, state) => customDecoderOf(schema)(value, state),
});

function compile(schema: Schema): Decode {
  if (schema.type === "struct") {
    return schema.unstructured ? structDecoder(schema) : decoderOf(schema);
  }
  if (schema.type !== "list" && schema.type !== "map") return decodeRaw;
  const decode = customDecoderOf(schema.type === "list" ? schema.items : schema.values);
  return (value, state) => {
    if (schema.type === "list" && Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        state.path.push(i);
        value[i] = decode(value[i], state);
        state.path.pop();
      }
      return value;
    }
    if (schema.type === "list" || !isObject(value)) return decodeRaw(value, state);
    for (const key in value) {
      state.keys++;
      state.path.push(key);
      value[key] = decode(value[key], state);
      state.path.pop();
    }
    return value;
  };
}

function structDecoder(schema: StructSchema): Decode {
  const decoders = new Map<string, Decode>();
  for (const [name, field] of schema.fields) decoders.set(name, customDecoderOf(field.schema));
  return (value, state) => {
    if (!isObject(value)) return decodeRaw(value, state);
    const unknown: string[] = [];
    for (const key in value) {
      state.keys++;
      const decode = decoders.get(key) ?? (schema.preserveUnknown ? decodeRaw : undefined);
      if (decode === undefined) {
        state.unknown(key);
        state.keys += countKeys(value[key]);
        unknown.push(key);
        continue;
      }
      if (value[key] === null) continue;
      state.path.push(key);
      value[key] = decode(value[key], state);
      state.path.pop();
    }
    for (const key of unknown) delete value[key];
    return value;
  };
}
