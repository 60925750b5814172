/**
 * What the JSON files in this folder hold: the definitions of one version of one group, as tools/generate-api writes
 * them. src/machinery/schema links them into Schema values.
 */
export interface Facts {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** What the names of its OpenAPI definitions begin with: io.k8s.api.core.v1. */
  readonly package: string;
  /** The kinds registered under this group and version, lists included. */
  readonly kinds: readonly string[];
  /** Closed sets of strings, by type name. */
  readonly enums: Readonly<Record<string, readonly string[]>>;
  /** Lists that are a message of their own in protobuf, by type name: the type of their items. */
  readonly lists: Readonly<Record<string, TypeExpression>>;
  /** Other types that Go gives a name to, which shows in errors only: the type they are made of. */
  readonly named: Readonly<Record<string, TypeExpression>>;
  /** Kinds that are another version's definition: Table of meta/v1beta1 is meta/v1.Table. */
  readonly aliases: Readonly<Record<string, TypeExpression>>;
  readonly structs: Readonly<Record<string, StructFacts>>;
}

/** Where the facts of a group version are. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** Folder and version: apps/v1. */
  readonly file: string;
  readonly package: string;
}

/**
 * A type in one word: `string`, `boolean`, `int32`, `int64`, `double`, `bytes`, `uid`, `nodeName` (strings), `any` or a SpecialType; the name of a
 * definition in the same file (`PodSpec`) or in another (`meta/v1.ObjectMeta`); after `[]` the items of a list, after
 * `{}` the values of a map, after `*` what a pointer points to.
 */
export type TypeExpression = string;

/** An object with named fields. */
export interface StructFacts {
  /** x-kubernetes-map-type, where upstream says it. */
  readonly map?: "granular" | "atomic";
  /** By JSON name, in Go's order. `...Name` stands for all fields of that struct, which Go embeds there. */
  readonly fields: Readonly<Record<string, FieldFacts>>;
}

/** A field; what is left out is the usual: optional, left out of JSON when empty, no list type, no default. */
export interface FieldFacts {
  /** Left out of an embedded struct. */
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
  /** The +default marker; zero values that Go writes anyway are not listed. */
  readonly default?: unknown;
}
