import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

/**
 * Fields that are never managed: an object's type, and the metadata that only the server sets.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/stripmeta.go.
 */
export const strippedFields: FieldSet = FieldSet.of(
  ...[
    ["apiVersion"],
    ["kind"],
    ["metadata"],
    ["metadata", "name"],
    ["metadata", "namespace"],
    ["metadata", "creationTimestamp"],
    ["metadata", "selfLink"],
    ["metadata", "uid"],
    ["metadata", "clusterName"],
    ["metadata", "generation"],
    ["metadata", "managedFields"],
    ["metadata", "resourceVersion"],
  ].map((path) => path.map(fieldElement)),
);
