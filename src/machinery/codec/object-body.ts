import type { StructSchema } from "#/api/base/schema.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { type Decoded, decodeJson } from "./json/decode-json.ts";
import {
  documentOf,
  type JsonDocument,
  parseJson,
  type TypeMeta,
  typeMetaError,
  typeMetaOf,
} from "./json/json-document.ts";
import { countKeys } from "./json/raw-decoder.ts";
import { decodeProtobuf, openEnvelope } from "./protobuf/protobuf-envelope.ts";
import type { FieldLimit } from "./protobuf/protobuf-scalar-reader.ts";
import { DecodeError } from "./shape/decode-error.ts";
import { inDeepKeyOrder } from "./shape/key-order.ts";
import { hasRead, readYaml, type YamlValue } from "./yaml/yaml-reader.ts";

/** A body that was read up to its kind. */
export interface ObjectBody extends TypeMeta {
  /** Decodes the rest, once. Throws DecodeError. */
  decode<T>(schema: StructSchema, strict: boolean): Decoded<T>;
}

/** Opens a JSON body. Throws DecodeError. */
export function openJsonBody(bytes: Uint8Array): ObjectBody {
  return bodyOf(readSyntax(() => parseJson(bytes)));
}

/** The first line of a YAML text's errors; one line for each error follows. */
export const yamlErrors = "yaml: unmarshal errors:";

/** Opens a YAML body; only the first document is read. Throws DecodeError. */
export function openYamlBody(bytes: Uint8Array): ObjectBody {
  const { value, duplicates } = readYamlOrJson(bytes);
  const body = bodyOf(documentOf(inDeepKeyOrder(value, { indexKeys: false })));
  if (duplicates.length === 0) return body;
  const problem = `${yamlErrors}\n${duplicates.map((line) => `  ${line}`).join("\n")}`;
  return {
    ...body,
    decode<T>(schema: StructSchema, strict: boolean) {
      const { value, problems } = body.decode<T>(schema, strict);
      return { value, problems: strict ? [problem, ...problems] : [] };
    },
  };
}

/** Reads YAML; JSON is YAML too, and much faster to read. Throws DecodeError. */
export function readYamlOrJson(bytes: Uint8Array): YamlValue {
  return (hasRead(bytes) ? undefined : runSteps(plainJsonSteps(bytes))) ?? readYaml(bytes);
}

/**
 * The body as JSON, in steps; undefined if it is not JSON, or has duplicate keys, for which YAML has
 * its own messages.
 */
export function* plainJsonSteps(bytes: Uint8Array): Steps<YamlValue | undefined> {
  const start = bytes.find((byte) => byte > 0x20);
  if (start !== 0x7b) return undefined;
  try {
    const { value, keys } = parseJson(bytes);
    yield;
    return countKeys(value) === keys ? { value, duplicates: [] } : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Opens a protobuf body; its unknown fields are never reported. Throws DecodeError, and the limit's error. */
export function openProtobufBody(bytes: Uint8Array, limit?: FieldLimit): ObjectBody {
  const envelope = openEnvelope(bytes);
  return {
    apiVersion: envelope.apiVersion,
    kind: envelope.kind,
    decode: <T>(schema: StructSchema) => ({
      value: decodeProtobuf<T>(envelope, schema, limit),
      problems: [],
    }),
  };
}

function bodyOf(document: JsonDocument): ObjectBody {
  const { apiVersion, kind } = typeMetaOf(document);
  if (apiVersion.split("/").length > 2) {
    throw new DecodeError(`unexpected GroupVersion string: ${apiVersion}`, "syntax");
  }
  return { apiVersion, kind, decode: (schema, strict) => decodeJson(document, schema, strict) };
}

/** A syntax error means that the kind cannot be determined. */
function readSyntax<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) throw typeMetaError(error.message);
    throw error;
  }
}
