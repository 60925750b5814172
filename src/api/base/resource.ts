/** The fields of every object (metav1.TypeMeta and ObjectMeta are generated in meta/v1.ts). */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string; namespace?: string };
}

/** The handle of a resource: its identity and its discovery facts. T is the type of its objects. */
export interface Resource<T = unknown> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural name, as in URLs. */
  readonly name: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Phantom field: carries T for the compiler; never set. */
  readonly of?: T;
}

/** A subresource with its own path: pods/status, deployments/scale, pods/exec. */
export interface Subresource {
  /** "status", "scale", "exec"… */
  readonly name: string;
  /** The kind of its objects, which may be of another group (autoscaling/v1 Scale). */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}
