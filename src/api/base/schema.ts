/**
 * The shape of a value on the wire: one model for built-in kinds (generated, see
 * tools/generate-api) and for custom resources (created from a CRD at run time). Decoding, pruning,
 * defaulting, protobuf, patches, server-side apply and OpenAPI are all driven by it. Values are
 * immutable and may be cyclic (JSONSchemaProps refers to itself).
 */
export type Schema = ScalarSchema | ListSchema | MapSchema | StructSchema | AnySchema;

/** Scalars, and the types with their own JSON form (a Quantity is a string or a number). */
export interface ScalarSchema {
  readonly type: "string" | "boolean" | "integer" | "number" | "bytes" | SpecialType;
  /** As in OpenAPI: int32, int64, double, date-time… */
  readonly format?: string;
  readonly enum?: readonly string[];
  /** The JSONSchemaProps inside a jsonSchemaPropsOr…; absent in all other types. */
  readonly struct?: StructSchema;
  /**
   * Name of the Go type in errors: v1.RestartPolicy, types.UID, v1.ResourceList. Absent for unnamed
   * types.
   */
  readonly goName?: string;
  /** An explicit null is kept (custom resources only; elsewhere null means absent). */
  readonly nullable?: boolean;
}

/** Types with their own JSON marshaller in Go; the codecs have code for each name. */
export type SpecialType =
  | "quantity"
  | "intOrString"
  | "time"
  | "microTime"
  | "duration"
  | "rawExtension"
  | "fieldsV1"
  | "json"
  | "jsonSchemaPropsOrBool"
  | "jsonSchemaPropsOrArray"
  | "jsonSchemaPropsOrStringArray";

export interface ListSchema {
  readonly type: "list";
  readonly items: Schema;
  /** x-kubernetes-list-type; atomic if upstream does not set it. */
  readonly listType: "atomic" | "set" | "map";
  /** Upstream sets the list type explicitly, so it is in OpenAPI. */
  readonly declared?: boolean;
  /** x-kubernetes-list-map-keys, for listType map. */
  readonly keys?: readonly string[];
  /** In protobuf the list is a message with one repeated field (ExtraValue, Verbs). */
  readonly wrapped?: boolean;
  /**
   * Name of the Go type in errors: v1.RestartPolicy, types.UID, v1.ResourceList. Absent for unnamed
   * types.
   */
  readonly goName?: string;
  readonly nullable?: boolean;
}

/** An object with arbitrary keys and values of one schema (labels, limits). */
export interface MapSchema {
  readonly type: "map";
  readonly values: Schema;
  /** x-kubernetes-map-type; granular if upstream does not set it. */
  readonly mapType: "granular" | "atomic";
  /** Upstream sets the map type explicitly, so it is in OpenAPI. */
  readonly declared?: boolean;
  /**
   * Name of the Go type in errors: v1.RestartPolicy, types.UID, v1.ResourceList. Absent for unnamed
   * types.
   */
  readonly goName?: string;
  readonly nullable?: boolean;
}

/** An object with named fields. */
export interface StructSchema {
  readonly type: "struct";
  /** OpenAPI definition name (io.k8s.api.core.v1.PodSpec); absent if there is no Go type. */
  readonly name?: string;
  /**
   * Upstream keeps the values in maps, not in a Go type: keys are written in alphabetical order,
   * nothing is omitted or defaulted, and types are checked by validation. True for custom
   * resources, except for their metadata.
   */
  readonly unstructured?: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** x-kubernetes-map-type (upstream's structType); granular if upstream does not set it. */
  readonly mapType: "granular" | "atomic";
  /** Upstream sets the map type explicitly, so it is in OpenAPI. */
  readonly declared?: boolean;
  /** x-kubernetes-preserve-unknown-fields. */
  readonly preserveUnknown?: boolean;
  /** x-kubernetes-embedded-resource: apiVersion, kind and metadata are those of any object. */
  readonly embedded?: boolean;
  readonly nullable?: boolean;
}

/** Any value, kept unchanged (custom resources with preserve-unknown-fields and no type). */
export interface AnySchema {
  readonly type: "any";
  readonly nullable?: boolean;
}

/** A named field of a struct. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  /** Listed under "required" in OpenAPI. */
  readonly required: boolean;
  /**
   * When Go omits the field from JSON: "never" writes null, "", 0 or {}; "empty" is omitempty;
   * "zero" is omitzero.
   */
  readonly omit: "never" | "empty" | "zero";
  /** A pointer in Go, so that absent and zero are different (lists and maps are not pointers). */
  readonly pointer: boolean;
  /** Default in upstream's schema (+default marker or a CRD's default); absent if there is none. */
  readonly default?: unknown;
  /** Strategic merge patch: x-kubernetes-patch-strategy (merge, replace, retainKeys, or a comma list). */
  readonly patchStrategy?: string;
  /** Strategic merge patch: x-kubernetes-patch-merge-key. */
  readonly patchMergeKey?: string;
  /**
   * Protobuf field number; the wire type follows from the schema. Absent in kinds without protobuf,
   * and in apiVersion and kind, which are not part of the message.
   */
  readonly number?: number;
  /**
   * If Go embeds a struct, its fields are inline in JSON, but in protobuf they are a message of
   * their own: the field numbers of these messages, outermost first ([2] for the sources of a
   * Volume). They are always written.
   */
  readonly within?: readonly number[];
  /** The names of the embedded structs in errors, outermost first: VolumeSource. */
  readonly embeddedIn?: readonly string[];
}
