import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from "#/api/apiextensions/v1.ts";
import { hasCondition, withDatedCondition } from "#/machinery/meta/conditions.ts";

/** A condition before it is known since when it holds. */
export type NewCondition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">;

/** Whether a CRD has a condition and it is true. */
export function isTrue({ status }: CustomResourceDefinition, type: string): boolean {
  return hasCondition(status?.conditions, type);
}

/** Puts a condition in place of the one of its type; the time changes only when the status does. */
export function withCondition(
  present: readonly CustomResourceDefinitionCondition[],
  condition: NewCondition,
  now: string,
): CustomResourceDefinitionCondition[] {
  return [...withDatedCondition(present, { ...condition, lastTransitionTime: now })];
}
