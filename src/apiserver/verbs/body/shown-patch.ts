import type { StructSchema } from "#/api/base/schema.ts";
import { jsonText } from "#/machinery/codec/json/encode-json.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import type { JsonPatchOperation } from "#/machinery/patch/json-patch.ts";
import { pointerParts } from "#/machinery/patch/patch-document.ts";
import { isJsonObject, type JsonObject, ownValue } from "#/machinery/patch/values/json-value.ts";

/**
 * The result of a patch as its refusal shows it: objects that the patch has parsed are sorted by key, the rest is in
 * Go's order.
 *
 * Upstream: evanphx/json-patch v4, which keeps the text of values that it does not parse.
 */
export function shownResult(
  live: JsonObject,
  schema: StructSchema,
  apply: (document: JsonObject) => unknown,
): string {
  return writeJson(apply(documentFrom(live, schema)));
}

/** An object in the order of its text. */
export const documentFrom = (live: JsonObject, schema: StructSchema): JsonObject =>
  JSON.parse(jsonText(live, schema)) as JsonObject;

/** The result of a JSON patch, sorted along the paths of its operations. */
export function sortedAlong(operations: readonly JsonPatchOperation[], patched: unknown): unknown {
  const paths = operations
    .flatMap((operation) => [ownValue(operation, "path"), ownValue(operation, "from")])
    .filter((path) => typeof path === "string");
  return sortedThrough(paths.map(pointerParts), patched);
}

function sortedThrough(paths: readonly (readonly string[])[], value: unknown): unknown {
  return mapParts(value, (part, key) => {
    const below = paths.filter(([first, second]) => first === key && second !== undefined);
    if (below.length === 0) return part;
    const rest = below.map((path) => path.slice(1));
    return sortedThrough(rest, part);
  });
}

/** The result of a merge patch, sorted in objects that it changes or adds. */
export function sortedLike(live: unknown, patch: unknown, patched: unknown): unknown {
  if (!isJsonObject(live)) return sortedDeep(patched);
  if (!isJsonObject(patch) || !isJsonObject(patched)) return patched;
  return mapParts(patched, (part, key) =>
    Object.hasOwn(patch, key) ? sortedLike(live[key], patch[key], part) : part,
  );
}

const sortedDeep = (value: unknown): unknown => mapParts(value, sortedDeep);

/** A value of other parts, with the keys of an object sorted. */
function mapParts(value: unknown, change: (part: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => change(item, String(index)));
  if (!isJsonObject(value)) return value;
  const parts = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(parts.map(([key, part]) => [key, change(part, key)]));
}
