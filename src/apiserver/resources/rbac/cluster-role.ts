import type { LabelSelector } from "#/api/meta/v1.ts";
import { type AggregationRule, type ClusterRole, clusterRoles } from "#/api/rbac/v1.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import {
  compileLabelSelector,
  hasInvalidLabelValue,
  validateLabelSelector,
} from "#/machinery/meta/label-selector.ts";
import { nameIsPathSegment } from "#/machinery/meta/names.ts";
import { forbidden } from "#/machinery/meta/status-error.ts";
import { append } from "#/std/base/append.ts";
import { type Claim, type Decoded, type RequestContext, serve } from "../../registry/strategy.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import {
  findEscalation,
  isPrivileged,
  mayEscalate,
  nothingClaimed,
  onlyCollectorFields,
} from "./escalation.ts";
import { declaredErrors, validateRules } from "./policy-rules.ts";

const everything = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Upstream: pkg/registry/rbac/clusterrole/strategy.go, pkg/registry/rbac/clusterrole/policybased/storage.go. */
export const clusterRole = serve(clusterRoles, {
  allowCreateOnUpdate: true,
  beginCreate: (object, context) => checkEscalation(object, undefined, context),
  beginUpdate: (object, old, context) =>
    onlyCollectorFields(object, old) ? nothingClaimed : checkEscalation(object, old, context),
  validate: (object) => [...validateClusterRole(object, false), ...declaredErrors(object.rules)],
  validateUpdate: (object, old) => [
    ...validateClusterRole(object, hasInvalidSelector(old)),
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...declaredErrors(object.rules),
  ],
});

function validateClusterRole(
  { metadata, rules, aggregationRule }: Decoded<ClusterRole>,
  allowInvalidValues: boolean,
): FieldError[] {
  const errors = [
    ...validateClusterMeta(metadata, nameIsPathSegment),
    ...validateRules(rules, false),
  ];
  if (!aggregationRule) return errors;
  const path = fieldPath("aggregationRule", "clusterRoleSelectors");
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  if (selectors.length === 0) {
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    errors.push(required(path, detail));
  }
  selectors.forEach((selector, index) => {
    const at = path.index(index);
    append(errors, validateLabelSelector(selector, at, { allowInvalidValues }));
    if (!compiles(selector)) errors.push(invalid(at, null, "invalid label selector."));
  });
  return errors;
}

function compiles(selector: LabelSelector): boolean {
  try {
    compileLabelSelector(selector);
    return true;
  } catch {
    return false;
  }
}

const hasInvalidSelector = ({ aggregationRule }: ClusterRole): boolean =>
  (aggregationRule?.clusterRoleSelectors ?? []).some(hasInvalidLabelValue);

async function checkEscalation(
  object: Decoded<ClusterRole>,
  old: Decoded<ClusterRole> | undefined,
  context: RequestContext,
): Promise<Claim> {
  const { name = "" } = object.metadata;
  if (isPrivileged(context) || (await mayEscalate(context, clusterRoles.name, name))) {
    return nothingClaimed;
  }
  const problem = findEscalation(context, object.rules ?? [], clusterRoles);
  if (problem !== undefined) throw forbidden(clusterRoles, name, problem);
  if (!aggregates(object.aggregationRule) && !aggregates(old?.aggregationRule)) {
    return nothingClaimed;
  }
  if (findEscalation(context, everything, clusterRoles) !== undefined) {
    const detail = "must have cluster-admin privileges to use the aggregationRule";
    throw forbidden(clusterRoles, name, detail);
  }
  return nothingClaimed;
}

/** An aggregated role can collect any rules. */
const aggregates = (rule: AggregationRule | undefined): boolean =>
  (rule?.clusterRoleSelectors?.length ?? 0) > 0;
