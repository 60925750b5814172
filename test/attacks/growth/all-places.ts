import { resources } from "#/api/index.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { gadgetSchema, gadgets } from "./custom-resource.ts";
import { type Place, placesOf } from "./places.ts";

/** Kinds of other servers. */
const foreignGroups = new Set(["metrics.k8s.io"]);

/** Every list and map of each kind that the server creates, and of a custom one. */
export function allPlaces(): Place[] {
  const served = resources.filter(
    ({ group, verbs }) => !foreignGroups.has(group) && verbs.includes("create"),
  );
  return [
    ...served.flatMap((resource) => placesOf(resource, schemaOf(resource))),
    ...placesOf(gadgets, gadgetSchema()),
  ];
}

/** The first place of each Go field: a Pod's spec is part of many kinds. */
export function uniquePlaces(): Place[] {
  const known = new Map<string, Place>();
  const isWritten = ({ resource }: Place): boolean => resource.verbs.includes("update");
  for (const place of allPlaces()) {
    const other = known.get(place.id);
    if (!other || (isWritten(place) && !isWritten(other))) known.set(place.id, place);
  }
  return [...known.values()];
}
