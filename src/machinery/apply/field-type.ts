import type { Field, ListSchema, MapSchema, Schema, StructSchema } from "#/api/base/schema.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import { zeroOf as zeroInMemory } from "../codec/shape/struct-shape.ts";

/**
 * A schema prepared for server-side apply: only the parts that determine ownership.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/schemaconv,
 * vendor/sigs.k8s.io/structured-merge-diff/v6/schema.
 */
export interface FieldType {
  /** `any` follows the value: lists are atomic, maps are granular and contain `any` again. */
  readonly kind: "scalar" | "list" | "map" | "any";
  /** The type of a scalar; untyped accepts any. */
  readonly scalar: "string" | "numeric" | "boolean" | "untyped";
  /** Owned as a whole. */
  readonly atomic: boolean;
  /** The keys of a map list, sorted by name; empty for a set. */
  readonly keys: readonly string[];
  /** Default of each key, used where an item lacks it; undefined if there is none. */
  readonly keyDefaults: readonly unknown[];
  /** The type of a list's items. */
  readonly item: FieldType | undefined;
  /** The named fields of a struct. */
  readonly fields: ReadonlyMap<string, FieldType>;
  /**
   * The type of a map's entries and of a struct's unknown fields; undefined where none are allowed.
   */
  readonly other: FieldType | undefined;
  /** Fields that Go writes even when they are not set, with their zero value. */
  readonly written: ReadonlyMap<string, unknown>;
}

/**
 * Prepares a schema. A structured type is for objects that are Go structs upstream, where fields
 * without a value may still be written (`status: {}`); a plain type takes objects as they are.
 */
export function fieldTypeOf(
  schema: Schema,
  { structured }: { readonly structured: boolean },
): FieldType {
  return structured ? structuredTypeOf(schema) : plainTypeOf(schema);
}

const compileWith = (structured: boolean): ((schema: Schema) => FieldType) =>
  memoByIdentity((schema) => new Compiler(schema, structured).compile(schema, false));

const structuredTypeOf = compileWith(true);
const plainTypeOf = compileWith(false);

type Writable = { -readonly [Key in keyof FieldType]: FieldType[Key] };

const blank = (kind: FieldType["kind"]): Writable => ({
  kind,
  scalar: "untyped",
  atomic: false,
  keys: [],
  keyDefaults: [],
  item: undefined,
  fields: noFields,
  other: undefined,
  written: noFields,
});

const noFields: ReadonlyMap<string, never> = new Map<string, never>();

/** Any value, owned as a whole. */
const atomicType: FieldType = { ...blank("any"), atomic: true };
/** Anything. */
export const anyType: FieldType = blank("any");

const scalarTypes: ReadonlyMap<string, FieldType> = new Map(
  (["string", "numeric", "boolean", "untyped"] as const).map((scalar) => [
    scalar,
    { ...blank("scalar"), scalar },
  ]),
);
const scalarType = (scalar: FieldType["scalar"]): FieldType => scalarTypes.get(scalar) ?? anyType;

/** Compiles one root schema; a recursive schema gives a recursive type. */
class Compiler {
  readonly #structured: boolean;
  readonly #unstructured: boolean;
  /** The schema of metadata, which embedded resources also have. */
  readonly #metadata: Schema | undefined;
  readonly #known: [closed: Map<Schema, FieldType>, open: Map<Schema, FieldType>] = [
    new Map(),
    new Map(),
  ];

  constructor(root: Schema, structured: boolean) {
    this.#structured = structured;
    this.#unstructured = root.type !== "struct" || root.unstructured === true;
    this.#metadata = root.type === "struct" ? root.fields.get("metadata")?.schema : undefined;
  }

  /** Open: a struct further up keeps unknown fields, so the structs below it do as well. */
  compile(schema: Schema, open: boolean): FieldType {
    switch (schema.type) {
      case "struct":
      case "list":
      case "map":
        return this.#compileContainer(schema, open);
      case "string":
        return scalarType(schema.format === undefined ? "string" : "untyped");
      case "bytes":
      case "duration":
        return scalarType("string");
      case "boolean":
        return scalarType("boolean");
      case "integer":
      case "number":
        return scalarType("numeric");
      case "intOrString":
        // Upstream's schema of this type allows any value; invalid values are found later.
        return this.#unstructured ? scalarType("untyped") : anyType;
      case "quantity":
      case "time":
      case "microTime":
        return scalarType("untyped");
      case "rawExtension":
        return atomicType;
      default:
        return anyType;
    }
  }

  #compileContainer(schema: StructSchema | ListSchema | MapSchema, open: boolean): FieldType {
    const known = this.#known[open ? 1 : 0];
    const made = known.get(schema);
    if (made) return made;
    const type = blank(schema.type === "list" ? "list" : "map");
    known.set(schema, type);
    if (schema.type === "list") this.#compileList(type, schema, open);
    else if (schema.type === "map") {
      type.atomic = schema.mapType === "atomic";
      type.other = this.compile(schema.values, open);
    } else this.#compileStruct(type, schema, open);
    return type;
  }

  #compileList(type: Writable, { items, listType, keys = [] }: ListSchema, open: boolean): void {
    type.atomic = listType === "atomic";
    type.item = this.compile(items, open);
    if (listType !== "map") return;
    const fields = items.type === "struct" ? items.fields : undefined;
    type.keys = keys.toSorted();
    type.keyDefaults = type.keys.map((key) => keyDefault(fields?.get(key)));
  }

  #compileStruct(type: Writable, schema: StructSchema, open: boolean): void {
    const keepsUnknown = open || schema.preserveUnknown === true;
    const fields = new Map<string, FieldType>();
    const written = new Map<string, unknown>();
    type.atomic = schema.mapType === "atomic";
    type.other = keepsUnknown || schema.fields.size === 0 ? anyType : undefined;
    type.fields = fields;
    type.written = written;
    for (const field of schema.fields.values()) {
      fields.set(field.name, this.compile(field.schema, keepsUnknown));
      if (!this.#structured || schema.unstructured) continue;
      const zero = writtenZero(field);
      if (zero !== undefined) written.set(field.name, zero);
    }
    if (schema.embedded && this.#metadata) {
      fields.set("apiVersion", scalarType("string"));
      fields.set("kind", scalarType("string"));
      fields.set("metadata", this.compile(this.#metadata, false));
    }
  }
}

/** The default of a map list's key: its schema default, or the zero value that Go would write. */
function keyDefault(field: Field | undefined): unknown {
  if (field === undefined || field.default !== undefined) return field?.default;
  return field.omit === "never" && !field.pointer ? (zeroOf(field.schema) ?? undefined) : undefined;
}

/** The value that Go writes for an unset field; undefined if it writes nothing. */
function writtenZero(field: Field): unknown {
  if (field.omit === "zero") return undefined;
  if (field.omit === "never") return field.pointer ? null : zeroOf(field.schema);
  // omitempty does not omit structs, and these are structs in Go.
  return !field.pointer && goStructs.has(field.schema.type) ? zeroOf(field.schema) : undefined;
}

const goStructs: ReadonlySet<Schema["type"]> = new Set([
  "struct",
  "quantity",
  "intOrString",
  "time",
  "microTime",
  "duration",
  "rawExtension",
  "json",
]);

const emptyObject: object = Object.freeze({});

/** The zero value as Go writes it. */
function zeroOf(schema: Schema): unknown {
  return schema.type === "struct" ? emptyObject : (zeroInMemory(schema) ?? null);
}
