/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/{merge2,walk}. */
import type { Field, Schema } from "#/api/schema.ts";
import { isJsonObject } from "#/machinery/patch/json-value.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { kindOf, type Unstructured } from "../unstructured.ts";

type Json = Record<string, unknown>;

/** An object after a patch in its own form; undefined if the patch deletes it. New items of lists come first. */
export function strategicMerge(
  object: Unstructured,
  patch: Unstructured,
): Unstructured | undefined {
  const { group, version, kind } = kindOf(object);
  const schema = findSchema(group, version, kind);
  return mergeMap(object, patch as Json, schema) as Unstructured | undefined;
}

function mergeMap(original: Json, patch: Json, schema: Schema | undefined): Json | undefined {
  if (patch["$patch"] === "delete") return undefined;
  if (patch["$patch"] === "replace") return cleaned(patch) as Json;
  const merged: Json = { ...original };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith("$")) continue;
    const result = mergeValue(merged[key], value, fieldOf(schema, key));
    if (result === undefined) delete merged[key];
    else merged[key] = result;
  }
  return merged;
}

/** What is known of a field, and the schema of its value. */
interface Known {
  readonly field?: Field | undefined;
  readonly schema: Schema | undefined;
}

function fieldOf(schema: Schema | undefined, key: string): Known {
  if (schema?.type === "struct") {
    const field = schema.fields.get(key);
    return { field, schema: field?.schema };
  }
  return { schema: schema?.type === "map" ? schema.values : undefined };
}

function mergeValue(original: unknown, patch: unknown, known: Known): unknown {
  if (patch === null) return undefined;
  if (isJsonObject(patch)) {
    if (!isJsonObject(original)) return mergeMap({}, patch as Json, known.schema);
    return mergeMap(original as Json, patch as Json, known.schema);
  }
  if (Array.isArray(patch)) return mergeList(original, patch, known);
  return patch;
}

function mergeList(
  original: unknown,
  patch: readonly unknown[],
  { field, schema }: Known,
): unknown {
  const strategy = field?.patchStrategy?.split(",") ?? [];
  if (!strategy.includes("merge") || !field) return patch.map(cleaned);
  const items = patch.filter((item) => !isDirective(item));
  if (patch.some((item) => isDirective(item) && item["$patch"] === "replace"))
    return items.map(cleaned);
  if (patch.some((item) => isDirective(item) && item["$patch"] === "delete")) return undefined;
  const old = Array.isArray(original) ? (original as unknown[]) : [];
  const mergeKey = field.patchMergeKey ?? "";
  if (mergeKey === "") return [...new Set([...items, ...old])];
  const itemSchema = schema?.type === "list" ? schema.items : undefined;
  return mergeItems(old, items as Json[], mergeKeys(field, mergeKey), itemSchema);
}

/** Ports are told apart by their protocols too. */
function mergeKeys(field: Field, mergeKey: string): string[] {
  return field.name === "ports" && (mergeKey === "containerPort" || mergeKey === "port")
    ? [mergeKey, "protocol"]
    : [mergeKey];
}

function mergeItems(
  old: readonly unknown[],
  patch: readonly Json[],
  keys: readonly string[],
  schema: Schema | undefined,
): unknown[] {
  const rest = [...(old as Json[])];
  const first: unknown[] = [];
  for (const item of patch) {
    const index = rest.findIndex((each) => isSame(each, item, keys));
    const merged = mergeMap(index < 0 ? {} : (rest[index] ?? {}), item, schema);
    if (index >= 0) rest.splice(index, 1);
    if (merged) first.push(merged);
  }
  return [...first, ...rest];
}

function isSame(left: Json, right: Json, keys: readonly string[]): boolean {
  return keys.every((key, index) => {
    const [one, other] = [left[key], right[key]];
    if (index > 0 && (one === undefined || other === undefined)) return true;
    return one === other;
  });
}

function isDirective(item: unknown): item is Json {
  return isJsonObject(item) && Object.keys(item).length === 1 && Object.hasOwn(item, "$patch");
}

/** A value that is new, without what only a patch says. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key, part]) => !key.startsWith("$") && part !== null);
  return Object.fromEntries(kept.map(([key, part]) => [key, cleaned(part)]));
}
