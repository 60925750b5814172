import { type Pod, pods } from "#/api/core/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { oneLine } from "../base/text.ts";
import type { EventFact, View } from "../base/view.ts";

/**
 * Limit of the age (ms) of an event that explains the present: programs repeat an event at most every 5 minutes, and
 * all about one object share that limit.
 */
const freshMs = 60 * 60_000;

/** The latest event about a Pod with one of these reasons, whose message passes; undefined if it is old. */
export function podEvent(
  pod: Pod,
  view: View,
  reasons: readonly string[],
  matches: (message: string) => boolean = () => true,
): EventFact | undefined {
  return view
    .events(pods, pod)
    .find(
      ({ reason, message, lastMs }) =>
        reasons.includes(reason) && view.nowMs - lastMs < freshMs && matches(message),
    );
}

/** An event as a line of evidence. */
export function eventLine(
  { reason, message, count, lastMs, from }: EventFact,
  nowMs: number,
): string {
  const times = count > 1 ? ` (${count} times)` : "";
  const by = from === "" ? "" : ` from ${from}`;
  const when = humanDuration(Math.max(0, nowMs - lastMs));
  return `event ${reason}${by}${times}, ${when} ago: ${oneLine(message)}`;
}
