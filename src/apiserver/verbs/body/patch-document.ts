import type { StructSchema } from "#/api/base/schema.ts";
import { metadataOf, withManagedFields } from "#/machinery/apply/object-metadata.ts";
import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import {
  documentOf,
  jsonTypeName,
  parseJson,
  type TypeMeta,
  typeMetaOf,
} from "#/machinery/codec/json/json-document.ts";
import type { PatchType } from "#/machinery/codec/media-type.ts";
import { DecodeError, strictDecodingError } from "#/machinery/codec/shape/decode-error.ts";
import { invalid as invalidField } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import {
  badRequest,
  invalid,
  rejectedPatch,
  requestEntityTooLarge,
  statusWithoutReason,
} from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { fromUnstructured } from "#/machinery/patch/from-unstructured.ts";
import { applyJsonPatch, decodeJsonPatch, jsonPatchSteps } from "#/machinery/patch/json-patch.ts";
import { applyMergePatch, mergePatchSteps } from "#/machinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import { goValue } from "#/machinery/patch/values/go-value.ts";
import {
  copyDocument,
  isJsonObject,
  type JsonObject,
} from "#/machinery/patch/values/json-value.ts";
import { PatchError } from "#/machinery/patch/values/patch-error.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import type { FieldValidation } from "../../registry/version-codec.ts";
import { documentFrom, shownResult, sortedAlong, sortedLike } from "./shown-patch.ts";

/** The types of patch that change a document; apply is separate. */
type DocumentPatchType = Exclude<PatchType, "application/apply-patch+yaml">;

interface PatchRequest {
  readonly type: DocumentPatchType;
  readonly body: Uint8Array;
  readonly validation: FieldValidation;
  readonly schema: StructSchema;
  /**
   * Fields that the patch does not change may be the live object's own: a status write changes nothing else. Metadata
   * is never shared.
   */
  readonly sharesUntouched?: boolean;
  /** Throws DecodeError if the patched object has another kind; `problems` are its strict errors. */
  checkType?(type: TypeMeta, problems: readonly string[]): void;
}

/** A patched object, and the errors of strict decoding. */
interface Patched {
  readonly object: ApiObject;
  readonly problems: readonly string[];
}

/**
 * Applies a patch to an object in the version of the request. The input is not changed.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
 */
export function patchObject(live: ApiObject, request: PatchRequest): Patched {
  return runSteps(patchSteps(live, request));
}

/** The same in steps, for large objects. */
export function* patchSteps(live: ApiObject, request: PatchRequest): Steps<Patched> {
  const { patched, literal, problems, shown } = yield* applyDocument(
    live as unknown as JsonObject,
    request,
  );
  const strict = request.validation !== "Ignore";
  const isStrategic = request.type === "application/strategic-merge-patch+json";
  const copy = literal ? copyDocument : deepCopy;
  try {
    yield;
    if (!isStrategic) checkType(live, patched, request);
    const untouched = request.sharesUntouched ? untouchedFields(live, patched) : {};
    const rest = withoutKeys(patched, untouched);
    const managers = sameManagers(live, rest);
    const touched = managers ? withManagedFields(rest as JsonObject, undefined) : rest;
    const own = isStrategic ? touched : copy(touched);
    yield;
    const decoded = isStrategic
      ? fromUnstructured<ApiObject>(own, request.schema, strict)
      : decodeJson<ApiObject>(documentOf(own), request.schema, strict);
    yield;
    const all = [...problems, ...decoded.problems];
    if (request.validation === "Strict" && all.length > 0) throw strictDecodingError(all);
    const object = Object.assign(decoded.value, untouched);
    if (request.checkType) Object.assign(object, { kind: live.kind, apiVersion: live.apiVersion });
    object.metadata ??= {};
    if (managers) object.metadata.managedFields = managers;
    return { object, problems: all };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalid({ group: "", kind: "" }, "", [
      invalidField(fieldPath("patch"), shown(), error.message),
    ]);
  }
}

/** An object of an unknown kind has no known fields. */
function checkType(live: ApiObject, patched: unknown, request: PatchRequest): void {
  const { apiVersion, kind } = typeMetaOf(documentOf(patched));
  const isUnknown = apiVersion === "" && isJsonObject(patched) && request.validation !== "Ignore";
  const fields = isUnknown ? Object.keys(patched).sort() : [];
  const problems = fields
    .filter((name) => name !== "apiVersion" && name !== "kind")
    .map((name) => `unknown field ${goQuote(name)}`);
  if (request.checkType && request.validation === "Strict" && problems.length > 0) {
    throw strictDecodingError(problems);
  }
  request.checkType?.({ apiVersion, kind: kind || (live.kind ?? "") }, problems);
}

/** Fields of the live object that the patch has not changed; they are decoded already. */
function untouchedFields(live: ApiObject, patched: unknown): JsonObject {
  const before = live as unknown as JsonObject;
  if (!isJsonObject(patched)) return {};
  const same = Object.entries(patched).filter(
    ([key, value]) => isJsonObject(value) && value === before[key] && key !== "metadata",
  );
  return Object.fromEntries(same);
}

/**
 * The live object's managedFields, if the patch has not changed them; writers replace them instead of changing them.
 */
function sameManagers(live: ApiObject, patched: unknown): ApiObject["metadata"]["managedFields"] {
  const { managedFields } = live.metadata;
  const after = isJsonObject(patched) ? metadataOf(patched)["managedFields"] : undefined;
  return managedFields === after ? managedFields : undefined;
}

function withoutKeys(object: unknown, keys: JsonObject): unknown {
  if (!isJsonObject(object)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !Object.hasOwn(keys, key)));
}

interface Applied {
  readonly patched: unknown;
  /** Numbers of the patch may keep their text. */
  readonly literal: boolean;
  readonly problems: readonly string[];
  /** The patch as an error shows it. */
  readonly shown: () => string;
}

function* applyDocument(
  live: JsonObject,
  { type, body, validation, schema }: PatchRequest,
): Steps<Applied> {
  const checked = validation !== "Ignore";
  const { value, literal, problems } = yield* readPatch(body, checked, type);
  yield;
  try {
    if (type === "application/json-patch+json") {
      const { operations, strictErrors } = decodeJsonPatch(value, { checked });
      yield;
      const apply = (document: JsonObject) => applyJsonPatch(document, operations);
      const shown = (document: JsonObject) => sortedAlong(operations, apply(document));
      return {
        patched: yield* applyToText(live, schema, (document) =>
          jsonPatchSteps(document, operations),
        ),
        literal,
        problems: strictErrors,
        shown: () => shownResult(live, schema, shown),
      };
    }
    if (type === "application/merge-patch+json") {
      if (checked && !isJsonObject(value)) {
        const what = jsonTypeName(value);
        throw badRequest(
          `error decoding patch: json: cannot unmarshal ${what} into Go value of type map[string]interface {}`,
        );
      }
      const apply = (document: JsonObject) => applyMergePatch(document, value);
      const shown = (document: JsonObject) => sortedLike(document, value, apply(document));
      return {
        patched: yield* mergePatchSteps(live, value),
        literal,
        problems,
        shown: () => shownResult(live, schema, shown),
      };
    }
    return {
      patched: applyStrategicMergePatch(schema, live, value),
      literal: false,
      problems,
      shown: () => goValue(value),
    };
  } catch (error) {
    throw error instanceof PatchError ? patchFailure(error) : error;
  }
}

/** A patch that fails on the object may apply to its text, which has zero values for absent fields. */
function* applyToText<T>(
  live: JsonObject,
  schema: StructSchema,
  apply: (document: JsonObject) => Steps<T>,
): Steps<T> {
  try {
    return yield* apply(live);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    return yield* apply(documentFrom(live, schema));
  }
}

/** Any object: for checking a patch for duplicate fields only. */
const freeForm: StructSchema = {
  type: "struct",
  unstructured: true,
  fields: new Map(),
  mapType: "granular",
  preserveUnknown: true,
};

interface ReadPatch {
  readonly value: unknown;
  readonly literal: boolean;
  readonly problems: readonly string[];
}

function* readPatch(body: Uint8Array, checked: boolean, type: DocumentPatchType): Steps<ReadPatch> {
  try {
    const document = parseJson(body);
    yield;
    const isObject =
      typeof document.value === "object" &&
      document.value !== null &&
      !Array.isArray(document.value);
    const literal = document.duplicates !== undefined;
    if (!checked || !isObject) return { value: document.value, literal, problems: [] };
    const { value, problems } = decodeJson(document, freeForm, true);
    // A merge keeps the text of numbers.
    const isMerge = type === "application/merge-patch+json";
    return { value: literal && isMerge ? parseJson(body).value : value, literal, problems };
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest("invalid JSON patch");
    throw error;
  }
}

function patchFailure(error: PatchError): Error {
  switch (error.code) {
    case 400:
      return badRequest(error.message);
    case 413:
      return requestEntityTooLarge(error.message);
    case 422:
      return rejectedPatch();
    case 500:
      return statusWithoutReason(error.message);
  }
}
