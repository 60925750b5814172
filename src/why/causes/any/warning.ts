import type { AnyObject } from "../../base/any-object.ts";
import { conditionsOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import type { Layer } from "../../base/layer.ts";
import { oneLine, timeOf } from "../../base/text.ts";
import { eventLine } from "../../facts/pod-events.ts";

/** Limit of the age (ms) of a warning that explains the present. */
const freshMs = 5 * 60_000;

/** The layer of the program that warns. */
function layerOf(from: string): Layer {
  if (from.includes("kubelet")) return "node";
  return from.includes("scheduler") ? "scheduling" : "controllers";
}

/** The latest warning about an object whose state is not known otherwise. */
export const latestWarning = cause<AnyObject>({
  name: "warning",
  layer: "controllers",
  isFallback: true,
  find(object, view, resource) {
    const good = conditionsOf(object).some(
      ({ type, status }) => (type === "Ready" || type === "Available") && status === "True",
    );
    if (good) return undefined;
    const event = view
      .events(resource, object)
      .find(({ isWarning, lastMs }) => isWarning && view.nowMs - lastMs < freshMs);
    if (!event) return undefined;
    return {
      layer: layerOf(event.from),
      sentence: `${event.from || "its controller"} warns (${event.reason}): ${oneLine(event.message, 200)}`,
      certainty: "likely",
      since: timeOf(event.firstMs),
      evidence: [eventLine(event, view.nowMs)],
    };
  },
});
