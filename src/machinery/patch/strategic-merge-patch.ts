import type { Schema } from "#/api/base/schema.ts";
import { plainNumbers } from "./plain-numbers.ts";
import { mergeMaps } from "./strategic/merge.ts";
import { goJsonType } from "./values/go-value.ts";
import { exceedsDepth, isJsonObject, type JsonObject } from "./values/json-value.ts";
import { PatchError } from "./values/patch-error.ts";

/**
 * The document after a strategic merge patch, merged by the rules of the schema; throws PatchError.
 * Nulls may remain in lists and in maps that the patch added, where they mean absent. Custom
 * resources do not support such patches.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch.
 */
export function applyStrategicMergePatch(
  schema: Schema,
  document: JsonObject,
  patch: unknown,
): JsonObject {
  if (patch === null) return document;
  if (!isJsonObject(patch)) {
    const what = goJsonType(patch);
    const message = `json: cannot unmarshal ${what} into Go value of type map[string]interface {}`;
    throw new PatchError(400, message);
  }
  if (exceedsDepth(patch)) throw new PatchError(400, "exceeded max depth");
  const plain = plainNumbers(patch) as JsonObject;
  return mergeMaps(document, plain, schema, { intoDocument: true });
}
