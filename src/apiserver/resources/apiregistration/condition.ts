import type { APIService, APIServiceCondition } from "#/api/apiregistration/v1.ts";

/** What is known of whether an API is available. */
export function availability({ status }: APIService): APIServiceCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Available");
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
