import type { AnyCondition } from "../base/any-object.ts";
import { ageMs } from "../base/text.ts";

/** Limit of the time (ms) in which a program that serves an API starts, with its cluster or after a change. */
const startMs = 60_000;

/** Whether a condition is false only since a moment ago, as while a program starts. */
export const isStarting = ({ lastTransitionTime }: AnyCondition, nowMs: number): boolean =>
  lastTransitionTime !== undefined && ageMs(lastTransitionTime, nowMs) < startMs;
