import type { Resource } from "#/api/base/resource.ts";
import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { sampleElement, sampleKey, sampleValue, type Variant } from "./sample-values.ts";
import { validObject } from "./valid-objects.ts";

/** A list or a map of a kind. */
export interface Place {
  readonly resource: Resource;
  /** From the root to the list or map; 0 is the first element of a list, "k0" of a map. */
  readonly path: readonly Step[];
  readonly field: Field;
  /** The same for every place of the same Go field: io.k8s.api.core.v1.Container.env. */
  readonly id: string;
}

interface Step {
  readonly key: string | number;
  readonly schema: Schema;
}

type Container = Record<string | number, unknown>;

/** Every list and map of a kind, in the order of its schema. */
export function placesOf(resource: Resource, schema: StructSchema): Place[] {
  return [...inStruct(resource, schema, [], new Set())];
}

function* inStruct(
  resource: Resource,
  schema: StructSchema,
  path: readonly Step[],
  outer: ReadonlySet<StructSchema>,
): Generator<Place> {
  if (outer.has(schema)) return;
  const within = new Set([...outer, schema]);
  for (const field of schema.fields.values()) {
    const at = [...path, { key: field.name, schema: field.schema }];
    if (field.schema.type === "list" || field.schema.type === "map") {
      yield { resource, path: at, field, id: `${schema.name ?? resource.kind}.${field.name}` };
    }
    yield* inValue(resource, field.schema, at, within);
  }
}

function* inValue(
  resource: Resource,
  schema: Schema,
  path: readonly Step[],
  outer: ReadonlySet<StructSchema>,
): Generator<Place> {
  if (schema.type === "struct") {
    yield* inStruct(resource, schema, path, outer);
  } else if (schema.type === "list") {
    yield* inValue(resource, schema.items, [...path, { key: 0, schema: schema.items }], outer);
  } else if (schema.type === "map") {
    const key = sampleKey(schema.values, 0);
    yield* inValue(resource, schema.values, [...path, { key, schema: schema.values }], outer);
  }
}

/** `.spec.containers[0].env`. */
export function pathText({ path }: Pick<Place, "path">): string {
  return path.map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
}

/** An object of the kind that has this value at the place, and else only what it needs. */
export function objectWith(place: Place, value: unknown): Record<string, unknown> {
  const object = validObject(place.resource);
  let target: Container = object;
  let name = "";
  for (const { key, schema } of place.path.slice(0, -1)) {
    if (typeof key === "string") name = key;
    target[key] ??= emptyValue(schema, name);
    target = target[key] as Container;
  }
  const last = place.path.at(-1);
  if (last) target[last.key] = value;
  return object;
}

function emptyValue(schema: Schema, name: string): unknown {
  if (schema.type === "list") return [];
  if (schema.type === "map") return {};
  return sampleValue(schema, name, { index: 0, variant: "distinct" });
}

/** A number of elements for a place. */
export function elementsOf({ field }: Place, count: number, variant: Variant): unknown {
  const { schema } = field;
  if (schema.type === "map") {
    return Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        variant === "invalid" ? `_${index}!` : sampleKey(schema.values, index),
        sampleValue(schema.values, field.name, { index, variant }),
      ]),
    );
  }
  const items = schema.type === "list" ? schema.items : schema;
  return Array.from({ length: count }, (_, index) =>
    sampleElement(items, field, { index, variant }),
  );
}
