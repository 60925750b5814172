import type { APIService, APIServiceCondition } from "#/api/apiregistration/v1.ts";

/** What is known of whether an API is available. */
export function availability({ status }: APIService): APIServiceCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Available");
}

/** The conditions with this one among them; it keeps the time at which its status last changed. */
export function withCondition(
  conditions: readonly APIServiceCondition[],
  condition: APIServiceCondition,
): APIServiceCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  if (!old) return [...conditions, condition];
  const changed = old.status !== condition.status;
  const time = changed ? condition.lastTransitionTime : old.lastTransitionTime;
  const updated = { ...condition, ...(time === undefined ? {} : { lastTransitionTime: time }) };
  return conditions.map((known) => (known === old ? updated : known));
}

/** The condition of an API that this server itself has. */
export function localCondition(now: string): APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: now,
    reason: "Local",
    message: "Local APIServices are always available",
  };
}
