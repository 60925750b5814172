/** Upstream: sigs.k8s.io/kustomize/kyaml/openapi. */

/** What a schema says about how the values of a type are merged. */
export interface MergeSchema {
  /** The schema of a field; undefined if it is not known. */
  field(name: string): MergeSchema | undefined;
  /** The schema of the items of a list. */
  readonly items: MergeSchema | undefined;
  /** The keys that identify items, none for texts; undefined if a patch replaces the list. */
  readonly mergeKeys: readonly string[] | undefined;
}

/** The schemas of kinds, by API version. */
export interface SchemaSource {
  find(apiVersion: string, kind: string): MergeSchema | undefined;
}
