import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from "#/api/apiextensions/v1.ts";

/** A condition before it is known since when it holds. */
export type NewCondition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">;

/** Whether a CRD has a condition and it is true. */
export function isTrue({ status }: CustomResourceDefinition, type: string): boolean {
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found?.status === "True";
}

/** Puts a condition in place of the one of its type; the time changes only when the status does. */
export function withCondition(
  present: readonly CustomResourceDefinitionCondition[],
  condition: NewCondition,
  now: string,
): CustomResourceDefinitionCondition[] {
  const before = present.find(({ type }) => type === condition.type);
  const { lastTransitionTime } = before?.status === condition.status ? before : {};
  const next = { ...condition, lastTransitionTime: lastTransitionTime ?? now };
  return before ? present.map((one) => (one === before ? next : one)) : [...present, next];
}
