import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/**
 * The fields that a request can set. The resource's strategy resets the others (a write to
 * pods/status cannot change the spec), so the request gets no ownership of them.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go (Filter).
 */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** Keeps all fields but these and those below them; a path is a list of field names. */
export function excludeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = FieldSet.of(...paths.map((path) => path.map(fieldElement)));
  return (set) => set.recursiveDifference(excluded);
}
