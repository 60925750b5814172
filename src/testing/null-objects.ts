import type { Resource } from "#/api/base/resource.ts";
import type { Field, Schema } from "#/api/base/schema.ts";
import { resources } from "#/api/index.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { readVectors } from "./vectors.ts";

/** An object of a built-in kind with a null that Go may write. */
export interface NullObject {
  readonly resource: Resource;
  /** The kind, as `kubectl api-resources` names it. */
  readonly kind: string;
  /**
   * The null fields: `.spec.ports`, `.endpoints[0].addresses`, or `* at depth 1` for all lists and
   * maps at a depth.
   */
  readonly path: string;
  readonly object: Record<string, unknown>;
}

/** Changes a whole object before a field becomes null. */
export type Change = (object: Record<string, unknown>, resource: Resource) => void;

interface Place {
  readonly path: readonly (string | number)[];
  /** Number of enclosing lists and maps. */
  readonly depth: number;
}

/**
 * Objects of every kind with a resource, with null in every list, map and time, one at a time, then
 * in all at the same depth. The objects have every field set, with upstream's test values, except
 * for the changes of `change` (valid names, for instance).
 */
export function* nullObjects(change: Change = () => undefined): Generator<NullObject> {
  const texts = new Map<string, string>();
  for (const { group, version, kind, json } of readVectors()) {
    texts.set(`${group}/${version}/${kind}`, json);
  }
  for (const resource of resources) {
    const { group, version, kind } = resource;
    const text = texts.get(`${group}/${version}/${kind}`);
    if (text !== undefined) yield* nullsOf(text, resource, change);
  }
}

function* nullsOf(text: string, resource: Resource, change: Change): Generator<NullObject> {
  const plausible = text.replaceAll('"operatorValue"', '"In"');
  const fresh = (): Record<string, unknown> => {
    const object = JSON.parse(plausible) as Record<string, unknown>;
    change(object, resource);
    return object;
  };
  const places = [...placesOf(fresh(), schemaOf(resource), { path: [], depth: 0 })];
  const withNulls = (name: string, nulls: readonly Place[]): NullObject => {
    const object = fresh();
    for (const { path } of nulls) setNull(object, path);
    return { resource, kind: resource.kind, path: name, object };
  };
  for (const place of places) yield withNulls(pathText(place.path), [place]);
  for (const depth of new Set(places.map((place) => place.depth))) {
    const nulls = places.filter((place) => place.depth === depth);
    yield withNulls(`* at depth ${depth}`, nulls);
  }
}

function* placesOf(value: unknown, schema: Schema, at: Place): Generator<Place> {
  if (typeof value !== "object" || value === null) return;
  const { path, depth } = at;
  if (schema.type === "list") {
    for (const [i, item] of (value as unknown[]).entries()) {
      yield* placesOf(item, schema.items, { path: [...path, i], depth: depth + 1 });
    }
  } else if (schema.type === "map") {
    for (const [key, item] of Object.entries(value)) {
      yield* placesOf(item, schema.values, { path: [...path, key], depth: depth + 1 });
    }
  } else if (schema.type === "struct") {
    for (const field of schema.fields.values()) {
      const inner = (value as Record<string, unknown>)[field.name];
      if (inner === undefined) continue;
      const place = { path: [...path, field.name], depth };
      if (mayBeNull(field)) yield place;
      yield* placesOf(inner, field.schema, place);
    }
  }
}

/**
 * Lists and maps may be null anywhere (other programs write them so); times and pointers if Go
 * always writes the field.
 */
function mayBeNull({ schema: { type }, omit, pointer }: Field): boolean {
  if (type === "list" || type === "map") return true;
  return omit === "never" && (pointer || type === "time" || type === "microTime");
}

function setNull(object: Record<string, unknown>, path: readonly (string | number)[]): void {
  let target: Record<string | number, unknown> | null = object;
  for (const step of path.slice(0, -1)) {
    target = target?.[step] as Record<string | number, unknown> | null;
  }
  const last = path.at(-1);
  if (target && last !== undefined) target[last] = null;
}

function pathText(path: readonly (string | number)[]): string {
  return path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
}
