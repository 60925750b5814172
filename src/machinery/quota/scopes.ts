import type { ResourceQuota, ScopedResourceSelectorRequirement } from "#/api/core/v1.ts";
import { table } from "#/std/base/table.ts";
import { labelRequirement, Selector } from "../meta/labels.ts";

const operators: Readonly<Record<string, string>> = table({
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
});

/** All scopes of a quota as selectors. */
export function scopesOf({ spec }: ResourceQuota): ScopedResourceSelectorRequirement[] {
  const named = (spec?.scopes ?? []).map(
    (scopeName): ScopedResourceSelectorRequirement => ({ scopeName, operator: "Exists" }),
  );
  return [...named, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** A scope's requirement as a selector of a label with the scope's name. */
export function scopeSelector(requirement: ScopedResourceSelectorRequirement): Selector {
  const { scopeName, operator, values = [] } = requirement;
  return new Selector([labelRequirement(scopeName, operators[operator] ?? operator, values)]);
}
