import type { ScalarSchema, Schema } from "#/api/base/schema.ts";
import type { DecodeState } from "./decode-state.ts";
import type { Decode } from "./json-scalars.ts";
import { countKeys } from "./raw-decoder.ts";
import { isObject } from "./struct-decoder.ts";

/**
 * Creates the decoder of a value that is a JSON schema or a simpler form. Upstream decodes its
 * content without strictness, so unknown fields in it are dropped without a warning.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/marshal.go.
 */
export function jsonSchemaDecoder(
  schema: ScalarSchema,
  decoderOf: (schema: Schema) => Decode,
): Decode {
  const { struct, type } = schema;
  if (struct === undefined) throw new Error(`${type} without its JSONSchemaProps`);
  const items: Schema = type === "jsonSchemaPropsOrStringArray" ? { type: "string" } : struct;
  const decodeStruct = decoderOf(struct);
  const decodeList = decoderOf({ type: "list", items, listType: "atomic" });
  return (value, state) => {
    if (isObject(value)) return leniently(decodeStruct, value, state);
    if (type === "jsonSchemaPropsOrBool") {
      return typeof value === "boolean" ? value : state.abort("boolean or JSON schema expected");
    }
    if (!Array.isArray(value) || value.length === 0) {
      state.keys += countKeys(value);
      return undefined;
    }
    return leniently(decodeList, value, state);
  };
}

function leniently(decode: Decode, value: unknown, state: DecodeState): unknown {
  state.lenient++;
  const decoded = decode(value, state);
  state.lenient--;
  return decoded;
}
