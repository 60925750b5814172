import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { ApiObject } from "../registry/strategy.ts";

/**
 * The changes that a conversion webhook may make: anything except the identity; of metadata only labels and
 * annotations.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */

/** The error of a converted object; undefined if it is valid. */
export function checkConverted(
  original: ApiObject,
  converted: ApiObject,
  apiVersion: string,
  index: number,
): string | undefined {
  if (converted.apiVersion !== apiVersion) {
    return `invalid object at index ${index}: invalid groupVersion (expected ${apiVersion}, received ${converted.apiVersion ?? ""})`;
  }
  if (converted.kind !== original.kind) {
    return `invalid object at index ${index}: invalid kind (expected ${original.kind}, received ${converted.kind ?? ""})`;
  }
  if (!converted.metadata) return "invalid metadata: missing metadata in converted object";
  for (const [field, title] of identity) {
    const before = original.metadata[field] ?? "";
    const after = converted.metadata[field] ?? "";
    if (before !== after) {
      return `invalid object: must have the same ${title}: ${before} != ${after}`;
    }
  }
  return undefined;
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

/** The converted object with the metadata of the original, except labels and annotations. */
export function restoreMetadata(original: ApiObject, converted: ApiObject): ApiObject {
  const { labels, annotations } = converted.metadata;
  const metadata = deepCopy(original.metadata);
  delete metadata.labels;
  delete metadata.annotations;
  return {
    ...converted,
    metadata: { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) },
  };
}
