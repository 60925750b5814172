import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { ApiObject } from "../../registry/strategy.ts";

/** Starts the count of an object's changes. */
export function startGeneration({ metadata }: ApiObject): void {
  metadata.generation = 1;
}

/** Counts a change of what an object is about: of its spec, if not of something else. */
export function countGeneration<T extends ApiObject>(
  object: T,
  old: T,
  part: (object: T) => unknown = ({ spec }: T & { spec?: unknown }) => spec,
): void {
  if (deepEqual(part(object) ?? {}, part(old) ?? {})) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}
