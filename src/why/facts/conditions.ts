import type { AnyCondition } from "../base/any-object.ts";
import { ago, oneLine } from "../base/text.ts";

/** A condition as a line of evidence. */
export function conditionLine(
  { type, status, reason, message, lastTransitionTime }: AnyCondition,
  nowMs: number,
): string {
  const why = reason ? ` (${reason})` : "";
  const when = ago(lastTransitionTime, nowMs);
  const text = message ? `: ${oneLine(message)}` : "";
  return `condition ${type} is ${status}${why}${when ? `, since ${when}` : ""}${text}`;
}
