import { type Pod, pods } from "#/api/core/v1.ts";
import { type Cause, cause, type Found } from "../base/cause.ts";
import type { Layer } from "../base/layer.ts";
import { timeOf } from "../base/text.ts";
import type { EventFact, View } from "../base/view.ts";
import { containersOf, hasEnded, isScheduled } from "./containers.ts";
import { eventLine, podEvent } from "./pod-events.ts";

/** Reasons of events after which the preparation of a Pod has succeeded. */
const laterReasons = new Set(["Pulling", "Pulled", "Created", "Started"]);

/** The latest failure of what the node does before it starts containers; undefined once it has started any. */
function setupEvent(
  pod: Pod,
  view: View,
  reasons: readonly string[],
  matches?: (message: string) => boolean,
): EventFact | undefined {
  if (!isScheduled(pod) || hasEnded(pod)) return undefined;
  const runs = containersOf(pod).some(
    ({ status }) => status?.state?.running || status?.state?.terminated,
  );
  if (runs) return undefined;
  const event = podEvent(pod, view, reasons, matches);
  if (!event) return undefined;
  const isOver = view
    .events(pods, pod)
    .some(({ reason, lastMs }) => laterReasons.has(reason) && lastMs > event.lastMs);
  return isOver ? undefined : event;
}

interface SetupCause {
  readonly name: string;
  readonly layer: Layer;
  readonly reasons: readonly string[];
  readonly texts: RegExp;
  readonly certainty?: Found["certainty"];
  explain(
    match: RegExpExecArray,
    pod: Pod,
    view: View,
    event: EventFact,
  ): Omit<Found, "since" | "evidence">;
}

/** A cause that is recognised by the event of a failed preparation. */
export const setupCause = (given: SetupCause): Cause =>
  cause<Pod>({
    name: given.name,
    layer: given.layer,
    group: `${given.layer} set-up`,
    of: [pods],
    find(pod, view) {
      const { texts, reasons, certainty = "proven" } = given;
      const event = setupEvent(pod, view, reasons, (message) => texts.test(message));
      const match = event && texts.exec(event.message);
      if (!event || !match) return undefined;
      const evidence = [eventLine(event, view.nowMs)];
      return {
        certainty,
        since: timeOf(event.firstMs),
        evidence,
        ...given.explain(match, pod, view, event),
      };
    },
  });
