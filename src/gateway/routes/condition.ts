import type { Condition } from "#/api/meta/v1.ts";
import { withCondition } from "#/machinery/meta/conditions.ts";

/** A condition without its time and generation. */
export interface PlainCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export const isTrue = (type: string, reason: string, message = ""): PlainCondition => ({
  type,
  status: "True",
  reason,
  message,
});

export const isFalse = (type: string, reason: string, message: string): PlainCondition => ({
  type,
  status: "False",
  reason,
  message,
});

/** An object's conditions with those that the gateway states. Others stay, and unchanged ones keep their time. */
export function mergeConditions(
  before: readonly Condition[] | undefined,
  stated: readonly PlainCondition[],
  generation: number | undefined,
  nowMs: number,
): readonly Condition[] {
  let conditions: readonly Condition[] = before ?? [];
  for (const one of stated) {
    const condition = { ...one, observedGeneration: generation ?? 0 };
    conditions = withCondition(conditions, condition, nowMs);
  }
  return conditions;
}
