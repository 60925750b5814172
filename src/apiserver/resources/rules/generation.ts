import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { ApiObject } from "../../registry/strategy.ts";

/** Sets the generation of a new object. */
export function startGeneration({ metadata }: ApiObject): void {
  metadata.generation = 1;
}

/** Increments the generation if the spec, or the given part, changes. */
export function countGeneration<T extends ApiObject>(
  object: T,
  old: T,
  part: (object: T) => unknown = ({ spec }: T & { spec?: unknown }) => spec,
): void {
  if (deepEqual(part(object) ?? {}, part(old) ?? {})) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}
