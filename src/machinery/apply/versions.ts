import type { Schema } from "#/api/base/schema.ts";
import type { Steps } from "#/std/base/steps.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { JsonObject } from "../patch/values/json-value.ts";
import { completeObject } from "./complete.ts";
import { type FieldType, fieldTypeOf } from "./field-type.ts";

/** A kind whose fields are managed, in the version of a request. */
export interface ManagedKind {
  /** Group and version: apps/v1, v1. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: Schema;
  /**
   * Any version of the kind, including this one; undefined if it is no longer served, and then its
   * managers are dropped. Not set if the kind has only one version. Throws ConversionError where a
   * missing version is a failure.
   */
  readonly version?: (apiVersion: string) => KindVersion | undefined;
}

/** One version of a kind. */
export interface KindVersion {
  readonly schema: Schema;
  /**
   * Converts an object from the version in its apiVersion to this version. Throws ConversionError.
   */
  readonly convert: (object: JsonObject) => JsonObject;
}

/** An object that cannot be converted to another version. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
}

/** Runs a step; a ConversionError in it gets the name of the step. */
export function inStep<T>(step: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw named(step, error);
  }
}

/** The same for a computation in steps. */
export function* inSteps<T>(step: string, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    throw named(step, error);
  }
}

function named(step: string, error: unknown): unknown {
  if (!(error instanceof ConversionError)) return error;
  return new ConversionError(`${step}: ${error.message}`, { cause: error });
}

/** An object in one version, with its type. */
export interface TypedObject {
  readonly object: JsonObject;
  readonly type: FieldType;
}

/**
 * The objects of a request in all requested versions. Structured: they are Go structs upstream,
 * where fields without a value count as well; otherwise objects are taken as they are, but a
 * conversion makes structs of them.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/versionconverter.go.
 */
export class Versions {
  readonly #kind: ManagedKind;
  readonly #structured: boolean;
  /** Converted objects by version. */
  readonly #conversions = memoByIdentity((_object: JsonObject) => new Map<string, TypedObject>());

  constructor(kind: ManagedKind, { structured }: { readonly structured: boolean }) {
    this.#kind = kind;
    this.#structured = structured;
  }

  /** The object in a version; undefined if the version is no longer served. */
  convert(object: JsonObject, apiVersion: string): TypedObject | undefined {
    const type = this.typeOf(apiVersion);
    if (!type) return undefined;
    if (object["apiVersion"] === apiVersion) return { object, type };
    const version = this.#kind.version?.(apiVersion);
    if (!version) return undefined;
    const known = this.#conversions(object);
    const before = known.get(apiVersion);
    if (before) return before;
    const converted = { object: this.#convert(object, version), type };
    known.set(apiVersion, converted);
    return converted;
  }

  #convert(object: JsonObject, version: KindVersion): JsonObject {
    const converted = version.convert(object);
    if (this.#structured) return converted;
    return completeObject(fieldTypeOf(version.schema, { structured: true }), converted);
  }

  /** The type of a version; undefined if it is no longer served. */
  typeOf(apiVersion: string): FieldType | undefined {
    const own = apiVersion === this.#kind.apiVersion;
    const schema = own ? this.#kind.schema : this.#kind.version?.(apiVersion)?.schema;
    return schema && fieldTypeOf(schema, { structured: this.#structured });
  }
}
