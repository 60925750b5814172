import type { StructSchema } from "#/api/base/schema.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { append } from "#/std/base/append.ts";
import { decodeJson } from "../codec/json/decode-json.ts";
import { DecodeError } from "../codec/shape/decode-error.ts";
import { type FieldError, invalid, required } from "../meta/field-error.ts";
import { type FieldPath, fieldPath } from "../meta/field-path.ts";
import { isDNS1035Label, nameIsPathSegment } from "../meta/names.ts";
import { validateObjectMeta } from "../meta/object-meta.ts";
import { deepCopy } from "../objects/deep-copy.ts";
import { findDefinition } from "../schema/definitions.ts";
import { sortKeys } from "./sorted-json.ts";
import {
  asResourceRoot,
  isJsonObject,
  type StructuralSchema,
  schemaOfField,
} from "./structural-schema.ts";

type Visit = (object: Record<string, unknown>, path: FieldPath | undefined) => FieldError[];

/** Options for the search of embedded objects. */
interface EmbeddedOptions {
  /** The value is a whole object itself. */
  readonly isRoot: boolean;
  readonly path?: FieldPath | undefined;
}

/**
 * Converts the metadata of an object and of its embedded objects to the Go type: unknown fields are
 * dropped. Returns the errors of invalid fields; with dropInvalid these fields are dropped, too.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta.
 */
export function coerceEmbedded(
  value: unknown,
  schema: StructuralSchema,
  { isRoot, path, dropInvalid = false }: EmbeddedOptions & { readonly dropInvalid?: boolean },
): FieldError[] {
  return visitEmbedded(value, isRoot ? asResourceRoot(schema) : schema, path, (object, at) => {
    const errors = coerceTypeMeta(object, at, dropInvalid);
    return errors.length > 0 ? errors : coerceMetadata(object, at, dropInvalid);
  });
}

/** Validates apiVersion, kind and metadata of an object and of its embedded objects. */
export function validateEmbedded(
  value: unknown,
  schema: StructuralSchema,
  { isRoot, path }: EmbeddedOptions,
): FieldError[] {
  return visitEmbedded(value, isRoot ? asResourceRoot(schema) : schema, path, validateOne);
}

function visitEmbedded(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: FieldPath | undefined,
  visit: Visit,
): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const at = path?.index(index) ?? fieldPath(`[${index}]`);
      return visitEmbedded(item, schema.items, at, visit);
    });
  }
  if (!isJsonObject(value)) return [];
  const errors = schema.embedded ? visit(value, path) : [];
  for (const key of Object.keys(value)) {
    const at = schema.properties.has(key)
      ? child(path, key)
      : (path?.key(key) ?? fieldPath(`[${key}]`));
    append(errors, visitEmbedded(value[key], schemaOfField(schema, key), at, visit));
  }
  return errors;
}

function child(path: FieldPath | undefined, name: string): FieldPath {
  return path?.child(name) ?? fieldPath(name);
}

function coerceTypeMeta(
  object: Record<string, unknown>,
  path: FieldPath | undefined,
  dropInvalid: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["apiVersion", "kind"]) {
    if (!Object.hasOwn(object, name) || typeof object[name] === "string") continue;
    if (dropInvalid) delete object[name];
    else errors.push(invalid(child(path, name), sortKeys(object[name]), "must be a string"));
  }
  return errors;
}

function coerceMetadata(
  object: Record<string, unknown>,
  path: FieldPath | undefined,
  dropInvalid: boolean,
): FieldError[] {
  if (!Object.hasOwn(object, "metadata")) return [];
  const { metadata } = object;
  try {
    object["metadata"] = decodeMetadata(metadata);
    return [];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    if (!dropInvalid) return [invalid(child(path, "metadata"), sortKeys(metadata), error.message)];
  }
  if (isJsonObject(metadata)) object["metadata"] = decodableFields(metadata);
  return [];
}

/** The fields of metadata that can be decoded, each tested alone. */
function decodableFields(metadata: Record<string, unknown>): ObjectMeta {
  const kept: ObjectMeta = {};
  for (const [name, value] of Object.entries(metadata)) {
    try {
      Object.assign(kept, decodeMetadata({ [name]: value }));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return kept;
}

function decodeMetadata(metadata: unknown): ObjectMeta {
  const document = {
    value: deepCopy(metadata),
    keys: 0,
    duplicates: new Map(),
    withDuplicates: () => document,
  };
  return decodeJson<ObjectMeta>(document, objectMetaSchema(), false).value;
}

function objectMetaSchema(): StructSchema {
  const schema = findDefinition("meta/v1", "ObjectMeta");
  if (schema?.type !== "struct") throw new Error("ObjectMeta is no struct");
  return schema;
}

function validateOne(object: Record<string, unknown>, path: FieldPath | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["apiVersion", "kind"]) {
    if (!Object.hasOwn(object, name)) errors.push(required(child(path, name)));
  }
  for (const name of Object.keys(object)) {
    if (name === "apiVersion") append(errors, validateVersion(object[name], child(path, name)));
    else if (name === "kind") append(errors, validateKind(object[name], child(path, name)));
    else if (name === "metadata") {
      append(errors, validateMetadata(object[name], child(path, name)));
    }
  }
  return errors;
}

function validateVersion(value: unknown, path: FieldPath): FieldError[] {
  if (typeof value !== "string") return [invalid(path, sortKeys(value), "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  if (value.split("/").length <= 2) return [];
  return [invalid(path, value, `unexpected GroupVersion string: ${value}`)];
}

function validateKind(value: unknown, path: FieldPath): FieldError[] {
  if (typeof value !== "string") return [invalid(path, sortKeys(value), "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const problems = isDNS1035Label(value.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [invalid(path, value, detail)];
}

function validateMetadata(value: unknown, path: FieldPath): FieldError[] {
  try {
    const meta = decodeMetadata(value);
    // A name is not required, so any valid one is used.
    const named = { ...meta, name: meta.name || "fakename" };
    const rules = { namespaced: Boolean(meta.namespace), name: nameIsPathSegment };
    return validateObjectMeta(named, rules, path);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [invalid(path, sortKeys(value), error.message)];
  }
}
