import type { AggregationRule, ClusterRole, RoleBinding, Subject } from "#/api/rbac/v1.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import { uncovered } from "./covers.ts";

/**
 * What must happen to a role or binding so that it grants what it should. Grants that somebody added stay.
 *
 * Upstream: component-helpers/auth/rbac/reconciliation.
 */

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/** A write that is due, or none. */
export type Reconciliation<T> =
  | { readonly action: "none" }
  | { readonly action: "update" | "recreate"; readonly object: T };

type Existing = Pick<ClusterRole, "metadata">;

/** Whether somebody has said that the server is to leave the object alone. */
const isProtected = ({ metadata }: Existing): boolean =>
  metadata.annotations?.[autoUpdate] === "false";

/** Brings a role up to what is expected of it. */
export function reconcileRole<T extends ClusterRole>(existing: T, expected: T): Reconciliation<T> {
  if (isProtected(existing)) return { action: "none" };
  const missing = uncovered(existing.rules ?? [], expected.rules ?? []);
  const object: T = {
    ...existing,
    metadata: mergedMetadata(existing, expected),
    ...(missing.length > 0 ? { rules: [...(existing.rules ?? []), ...missing] } : {}),
  };
  const aggregation = reconcileAggregation(existing.aggregationRule, expected.aggregationRule);
  if (aggregation) object.aggregationRule = aggregation;
  else delete object.aggregationRule;
  return outcome(existing, object);
}

function reconcileAggregation(
  existing: AggregationRule | undefined,
  expected: AggregationRule | undefined,
): AggregationRule | undefined {
  if (!expected) return undefined;
  const present = existing?.clusterRoleSelectors ?? [];
  const missing = (expected.clusterRoleSelectors ?? []).filter(
    (selector) => !present.some((known) => deepEqual(known, selector)),
  );
  return missing.length === 0 ? existing : { clusterRoleSelectors: [...present, ...missing] };
}

/** Brings a binding up to what is expected of it; one to another role must be made anew. */
export function reconcileBinding<T extends RoleBinding>(
  existing: T,
  expected: T,
): Reconciliation<T> {
  if (isProtected(existing)) return { action: "none" };
  if (!deepEqual(existing.roleRef, expected.roleRef)) {
    return { action: "recreate", object: expected };
  }
  const present = existing.subjects ?? [];
  const missing = (expected.subjects ?? []).filter(
    (subject) => !present.some((known) => sameSubject(known, subject)),
  );
  return outcome(existing, {
    ...existing,
    metadata: mergedMetadata(existing, expected),
    ...(missing.length > 0 ? { subjects: [...present, ...missing] } : {}),
  });
}

const sameSubject = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  (a.apiGroup ?? "") === (b.apiGroup ?? "") &&
  (a.namespace ?? "") === (b.namespace ?? "");

/** The existing metadata with the expected labels and annotations that it lacks. */
function mergedMetadata({ metadata }: Existing, expected: Existing): ClusterRole["metadata"] {
  const labels = { ...expected.metadata.labels, ...metadata.labels };
  const annotations = { ...expected.metadata.annotations, ...metadata.annotations };
  return {
    ...metadata,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
}

function outcome<T>(existing: T, object: T): Reconciliation<T> {
  return deepEqual(existing, object) ? { action: "none" } : { action: "update", object };
}
