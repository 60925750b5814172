import type { APIService, APIServiceCondition } from "#/api/apiregistration/v1.ts";

/** The condition that says whether an API is available; undefined if there is none. */
export function availability({ status }: APIService): APIServiceCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Available");
}

/** The condition of an API that this server serves itself. */
export function localCondition(now: string): APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: now,
    reason: "Local",
    message: "Local APIServices are always available",
  };
}
