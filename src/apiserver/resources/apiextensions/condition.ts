import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from "#/api/apiextensions/v1.ts";
import { hasCondition, withDatedCondition } from "#/machinery/meta/conditions.ts";

/** A condition without its transition time. */
export type NewCondition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">;

/** Whether a CRD has a condition with status True. */
export function isTrue({ status }: CustomResourceDefinition, type: string): boolean {
  return hasCondition(status?.conditions, type);
}

/** Replaces the condition of the same type; the transition time changes only with the status. */
export function withCondition(
  present: readonly CustomResourceDefinitionCondition[],
  condition: NewCondition,
  now: string,
): CustomResourceDefinitionCondition[] {
  return [...withDatedCondition(present, { ...condition, lastTransitionTime: now })];
}
