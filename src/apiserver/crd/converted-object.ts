import type { ObjectMeta } from "#/api/meta/v1.ts";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabels } from "#/machinery/meta/label-selector.ts";
import { validateAnnotations } from "#/machinery/meta/object-meta.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { goType } from "#/machinery/patch/values/go-value.ts";
import { isJsonObject, type JsonObject } from "#/machinery/patch/values/json-value.ts";
import type { ApiObject } from "../registry/strategy.ts";

/**
 * The changes that a conversion webhook may make: anything except the identity; of metadata only labels and
 * annotations.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */

/** A converted object with the metadata of the original, except labels and annotations. Throws if it is invalid. */
export function readConverted(
  original: ApiObject,
  converted: unknown,
  apiVersion: string,
  index: number,
): ApiObject {
  if (!isJsonObject(converted)) {
    throw new Error(`invalid object at index ${index}: ${goType(converted)} is no object`);
  }
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const differs = (what: string, expected: string, received: string): Error =>
    new Error(
      `invalid object at index ${index}: invalid ${what} (expected ${expected}, received ${received})`,
    );
  if (converted["apiVersion"] !== apiVersion) {
    throw differs("groupVersion", apiVersion, text(converted["apiVersion"]));
  }
  if (converted["kind"] !== original.kind) {
    throw differs("kind", original.kind ?? "", text(converted["kind"]));
  }
  const metadata = metadataOf(converted);
  for (const [field, title] of identity) {
    const before = original.metadata[field] ?? "";
    const after = text(metadata[field]);
    if (before !== after) {
      throw new Error(`invalid object: must have the same ${title}: ${before} != ${after}`);
    }
  }
  return { ...converted, metadata: restoreMetadata(original, metadata) } as ApiObject;
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

function metadataOf(converted: JsonObject): JsonObject {
  const { metadata } = converted;
  if (metadata === undefined) {
    throw new Error("invalid metadata: missing metadata in converted object");
  }
  if (isJsonObject(metadata)) return metadata;
  throw new Error(
    `invalid metadata: invalid metadata of type ${goType(metadata)} in converted object`,
  );
}

function restoreMetadata(original: ApiObject, converted: JsonObject): ObjectMeta {
  const { labels: _, annotations: __, ...metadata } = deepCopy(original.metadata);
  const labels = readTexts("labels", converted["labels"]);
  const annotations = readTexts("annotations", converted["annotations"]);
  const path = fieldPath("metadata");
  const errors = [
    ...validateLabels(labels, path.child("labels")),
    ...validateAnnotations(annotations, path.child("annotation")),
  ];
  if (errors.length > 0) throw new Error(`invalid metadata: ${formatFieldErrors(errors)}`);
  return { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) };
}

/** A map of texts; undefined if there is none. */
function readTexts(field: string, value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) {
    throw new Error(
      `invalid metadata: invalid metadata.${field} of type ${goType(value)} in converted object`,
    );
  }
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "string") continue;
    throw new Error(
      `invalid metadata: metadata.${field}[${key}] must be a string, but is ${goType(item)} in converted object`,
    );
  }
  return value as Record<string, string>;
}
