import type { Event } from "#/api/core/v1.ts";
import type { Journey } from "#/machinery/journey/step.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { FanOut } from "./fan-out.ts";
import { journeyFromObject } from "./journey-from-object.ts";

/** An object that may have been made for another. */
interface Made {
  readonly resource: string;
  readonly object: Unstructured;
}

/** The journeys of the objects below one. Pure. */
export function fanOutOf(
  journey: Journey,
  all: readonly Made[],
  happened: readonly Event[],
): FanOut {
  const byOwner = Map.groupBy(all, ({ object: { metadata = {} } }) => {
    return findControllerReference({ metadata })?.uid;
  });
  const eventsByUid = Map.groupBy(happened, ({ involvedObject }) => involvedObject?.uid ?? "");
  const below = (parent: Journey): FanOut => ({
    journey: parent,
    children: ((parent.of.uid ? byOwner.get(parent.of.uid) : undefined) ?? []).map(
      ({ resource, object }) => {
        const own = eventsByUid.get(String(object.metadata?.uid)) ?? [];
        return below(journeyFromObject(resource, object, own));
      },
    ),
  });
  return below(journey);
}
