import type { Resource } from "#/api/resource.ts";
import type { StructSchema } from "#/api/schema.ts";
import { decodeJson } from "#/machinery/codec/decode-json.ts";
import { encodeJson, jsonText } from "#/machinery/codec/encode-json.ts";
import { parseJson } from "#/machinery/codec/json-document.ts";
import { dropEmptyLists } from "#/machinery/codec/nil-lists.ts";
import { apiVersionOf } from "./served-resource.ts";
import type { StoredCodec } from "./stored-object.ts";
import type { ApiObject, Declaration } from "./strategy.ts";

/** How a resource is kept in the store: JSON in the stored version, without resourceVersion. */
export function storedJson(declaration: Declaration, schema: StructSchema): StoredCodec {
  const { handle } = declaration;
  const head = schema.name === undefined ? undefined : headOf(handle);
  return {
    encode(object) {
      if (schema.name !== undefined) dropEmptyLists(object, schema);
      return Buffer.from(jsonText(object, schema));
    },
    decode: (bytes) => decodeStored(bytes, declaration, schema),
    encodeJson: (object) => encodeJson(object, schema),
    ...(head ? { head } : {}),
  };
}

/** What every stored object of a built-in kind begins with. */
function headOf(handle: Resource): Uint8Array {
  return Buffer.from(
    `{"kind":"${handle.kind}","apiVersion":"${apiVersionOf(handle)}","metadata":{`,
  );
}

/** Reads the stored version, or another one that an earlier release or an upstream server wrote. */
function decodeStored(
  bytes: Uint8Array,
  declaration: Declaration,
  schema: StructSchema,
): ApiObject {
  const { value } = decodeJson<ApiObject>(parseJson(bytes), schema, false);
  value.metadata ??= {};
  declaration.setDefaults?.(value);
  return value;
}
