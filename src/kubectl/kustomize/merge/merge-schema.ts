/** Upstream: sigs.k8s.io/kustomize/kyaml/openapi. */

/** The merge rules in a schema. */
export interface MergeSchema {
  /** The schema of a field; undefined if it is unknown. */
  field(name: string): MergeSchema | undefined;
  /** The schema of the items of a list. */
  readonly items: MergeSchema | undefined;
  /** The keys that identify items, empty for strings; undefined if a patch replaces the list. */
  readonly mergeKeys: readonly string[] | undefined;
}

/** The schemas of kinds, by API version. */
export interface SchemaSource {
  find(apiVersion: string, kind: string): MergeSchema | undefined;
}
