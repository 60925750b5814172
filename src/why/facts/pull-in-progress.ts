import { type Pod, pods } from "#/api/core/v1.ts";
import type { EventFact, View } from "../base/view.ts";
import { isScheduled, isWell } from "./containers.ts";

/** Reasons of the events after which a pull goes on no more. */
const laterReasons = new Set([
  "Pulled",
  "Failed",
  "BackOff",
  "Created",
  "Started",
  "InspectFailed",
]);

/** The event of a pull that has neither ended nor failed. */
export function pullInProgress(pod: Pod, view: View): EventFact | undefined {
  if (isWell(pod) || !isScheduled(pod)) return undefined;
  const events = view.events(pods, pod);
  const pull = events.find(({ reason }) => reason === "Pulling");
  if (!pull) return undefined;
  const isOver = events.some(
    ({ reason, lastMs }) => laterReasons.has(reason) && lastMs >= pull.lastMs,
  );
  const waits = (pod.status?.containerStatuses ?? []).some(({ state }) => state?.waiting);
  return isOver || !waits ? undefined : pull;
}
