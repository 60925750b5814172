/**
 * The content of the JSON files in this folder: the definitions of one version of one group, as
 * tools/generate-api writes them. src/machinery/schema links them into Schema values.
 */
export interface Facts {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** The prefix of its OpenAPI definition names: io.k8s.api.core.v1. */
  readonly package: string;
  /** The kinds registered under this group and version, including lists. */
  readonly kinds: readonly string[];
  /** Enumerations of strings, by type name. */
  readonly enums: Readonly<Record<string, readonly string[]>>;
  /**
   * Lists that are a message of their own in protobuf, by type name; the value is the type of their
   * items.
   */
  readonly lists: Readonly<Record<string, TypeExpression>>;
  /** Other named Go types, which are visible only in errors; the value is the underlying type. */
  readonly named: Readonly<Record<string, TypeExpression>>;
  /** Kinds that are defined in another version: Table of meta/v1beta1 is meta/v1.Table. */
  readonly aliases: Readonly<Record<string, TypeExpression>>;
  readonly structs: Readonly<Record<string, StructFacts>>;
}

/** The location of a group version's facts. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** Folder and version: apps/v1. */
  readonly file: string;
  readonly package: string;
}

/**
 * A type expression: `string`, `boolean`, `int32`, `int64`, `double`, `bytes`, `uid`, `nodeName`
 * (strings), `any` or a SpecialType; the name of a definition in the same file (`PodSpec`) or in
 * another (`meta/v1.ObjectMeta`); `[]` before the type of a list's items, `{}` before that of a
 * map's values, `*` before that of a pointer.
 */
export type TypeExpression = string;

/** An object with named fields. */
export interface StructFacts {
  /** x-kubernetes-map-type, if upstream sets it. */
  readonly map?: "granular" | "atomic";
  /**
   * By JSON name, in Go's order. `...Name` means all fields of that struct, which Go embeds here.
   */
  readonly fields: Readonly<Record<string, FieldFacts>>;
}

/**
 * A field; omitted properties have their default: optional, omitted from JSON when empty, no list
 * type, no default value.
 */
export interface FieldFacts {
  /** Absent for an embedded struct. */
  readonly type?: TypeExpression;
  /** Protobuf field number. */
  readonly number?: number;
  readonly required?: true;
  readonly omit?: "never" | "zero";
  /** x-kubernetes-list-type and x-kubernetes-list-map-keys. */
  readonly list?: "atomic" | "set" | "map";
  readonly keys?: readonly string[];
  /** x-kubernetes-map-type of a map, or of the struct that is the value. */
  readonly map?: "granular" | "atomic";
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  /** The +default marker; zero values that Go always writes are not listed. */
  readonly default?: unknown;
}
