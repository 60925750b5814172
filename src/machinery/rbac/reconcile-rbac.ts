import type {
  AggregationRule,
  ClusterRole,
  PolicyRule,
  RoleBinding,
  Subject,
} from "#/api/rbac/v1.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import { uncoveredRules } from "./uncovered-rules.ts";

/**
 * Computes the changes of a role or binding that are needed to grant the expected permissions.
 *
 * Upstream: staging/src/k8s.io/component-helpers/auth/rbac/reconciliation.
 */

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/** The operation, and the missing and extra permissions of an object. */
export interface Reconciliation<T, Grant = unknown> {
  readonly action: "none" | "update" | "recreate";
  /** The object after the operation. */
  readonly object: T;
  /** Whether the object's annotation forbids automatic updates. */
  readonly isProtected: boolean;
  readonly missing: readonly Grant[];
  readonly extra: readonly Grant[];
}

interface ReconcileOptions {
  /** Whether extra permissions are removed; default false. */
  readonly removesExtra?: boolean;
}

type Existing = Pick<ClusterRole, "metadata">;

const isProtected = ({ metadata }: Existing): boolean =>
  metadata.annotations?.[autoUpdate] === "false";

/** Reconciles a role with the expected one. */
export function reconcileRole<T extends ClusterRole>(
  existing: T,
  expected: T,
  { removesExtra = false }: ReconcileOptions = {},
): Reconciliation<T, PolicyRule> {
  const [present, wanted] = [existing.rules ?? [], expected.rules ?? []];
  const missing = uncoveredRules(present, wanted);
  // The rules of an aggregated role belong to other roles.
  const isAggregated = expected.aggregationRule && existing.aggregationRule;
  const extra = isAggregated ? [] : uncoveredRules(wanted, present);
  const aggregation = { existing: existing.aggregationRule, expected: expected.aggregationRule };
  const rules = changedGrants({ present, wanted, missing, extra, removesExtra });
  const object: T = {
    ...existing,
    metadata: mergedMetadata(existing, expected),
    ...(rules ? { rules } : {}),
  };
  const aggregationRule = reconcileAggregation(aggregation, removesExtra);
  if (aggregationRule) object.aggregationRule = aggregationRule;
  else delete object.aggregationRule;
  return outcome(existing, object, { missing, extra });
}

interface Difference<Grant> {
  readonly present: readonly Grant[];
  readonly wanted: readonly Grant[];
  readonly missing: readonly Grant[];
  readonly extra: readonly Grant[];
  readonly removesExtra: boolean;
}

/** The corrected list of permissions; undefined if there is no change. */
function changedGrants<Grant>(difference: Difference<Grant>): Grant[] | undefined {
  const { present, wanted, missing, extra, removesExtra } = difference;
  if (missing.length === 0 && (!removesExtra || extra.length === 0)) return undefined;
  return removesExtra ? [...wanted] : [...present, ...missing];
}

function reconcileAggregation(
  rules: {
    readonly existing: AggregationRule | undefined;
    readonly expected: AggregationRule | undefined;
  },
  removesExtra: boolean,
): AggregationRule | undefined {
  const { existing, expected } = rules;
  if (!expected) return undefined;
  const present = existing?.clusterRoleSelectors ?? [];
  const wanted = expected.clusterRoleSelectors ?? [];
  const lacking = (from: typeof present, all: typeof present): typeof present =>
    all.filter((selector) => !from.some((known) => deepEqual(known, selector)));
  const difference = {
    present,
    wanted,
    missing: lacking(present, wanted),
    extra: lacking(wanted, present),
    removesExtra,
  };
  const clusterRoleSelectors = changedGrants(difference);
  return clusterRoleSelectors ? { clusterRoleSelectors } : existing;
}

/** Reconciles a binding with the expected one; a binding to another role must be recreated. */
export function reconcileBinding<T extends RoleBinding>(
  existing: T,
  expected: T,
  { removesExtra = false }: ReconcileOptions = {},
): Reconciliation<T, Subject> {
  if (!deepEqual(existing.roleRef, expected.roleRef)) {
    const isLeft = isProtected(existing);
    return { action: "recreate", object: expected, isProtected: isLeft, missing: [], extra: [] };
  }
  const [present, wanted] = [existing.subjects ?? [], expected.subjects ?? []];
  const [missing, extra] = [lackingSubjects(present, wanted), lackingSubjects(wanted, present)];
  const subjects = changedGrants({ present, wanted, missing, extra, removesExtra });
  const object: T = {
    ...existing,
    metadata: mergedMetadata(existing, expected),
    ...(subjects ? { subjects } : {}),
  };
  return outcome(existing, object, { missing, extra });
}

/** The subjects of a list that another lacks, without duplicates. */
function lackingSubjects(from: readonly Subject[], all: readonly Subject[]): Subject[] {
  const lacking: Subject[] = [];
  for (const subject of all) {
    const isSame = (known: Subject): boolean => sameSubject(known, subject);
    if (!from.some(isSame) && !lacking.some(isSame)) lacking.push(subject);
  }
  return lacking;
}

const sameSubject = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  (a.apiGroup ?? "") === (b.apiGroup ?? "") &&
  (a.namespace ?? "") === (b.namespace ?? "");

/** The existing metadata with the missing expected labels and annotations. */
function mergedMetadata({ metadata }: Existing, expected: Existing): ClusterRole["metadata"] {
  const labels = { ...expected.metadata.labels, ...metadata.labels };
  const annotations = { ...expected.metadata.annotations, ...metadata.annotations };
  return {
    ...metadata,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
}

function outcome<T extends Existing, Grant>(
  existing: T,
  object: T,
  grants: Pick<Reconciliation<T, Grant>, "missing" | "extra">,
): Reconciliation<T, Grant> {
  const action = deepEqual(existing, object) ? "none" : "update";
  return { action, object, isProtected: isProtected(existing), ...grants };
}
