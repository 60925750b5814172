import { humanDuration } from "#/machinery/time/human-duration.ts";

/** Limit of a quoted message (characters): a screen has room for a few of them. */
const maxMessage = 300;

/** A message of another program on one line, without control characters. */
export function oneLine(text: string, limit: number = maxMessage): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals act on them
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** `1 Pod`, `3 Pods`. */
export const count = (number: number, noun: string, plural: string = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`;

/** Limit of the names in a list (count): more are counted only. */
const maxNames = 3;

/** `a, b and 4 more`. */
export function names(all: readonly string[]): string {
  const shown = all.slice(0, maxNames);
  if (all.length > maxNames) return `${shown.join(", ")} and ${all.length - maxNames} more`;
  if (shown.length < 2) return shown.join("");
  return `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** `3m20s ago`, of an RFC 3339 time; "" if it is unknown. */
export function ago(time: string | undefined, nowMs: number): string {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? "" : `${humanDuration(Math.max(0, nowMs - ms))} ago`;
}

/** The age (ms) of an RFC 3339 time; 0 if it is unknown. */
export function ageMs(time: string | undefined, nowMs: number): number {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? 0 : Math.max(0, nowMs - ms);
}

/** RFC 3339 of a time; undefined if it is not known. */
export const timeOf = (ms: number | undefined): string | undefined =>
  ms === undefined || !Number.isFinite(ms) || ms <= 0 ? undefined : new Date(ms).toISOString();
