import { goJson } from "../values/go-format.ts";

/** A value as encoding/json writes Go's maps: with sorted keys. Equal values have equal texts. */
export function sortedJson(value: unknown): string {
  return goJson(sortKeys(value));
}

/** The same value with the keys of all objects sorted. */
export function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    sortKeys(item),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => Number(a > b) - Number(a < b)));
}
