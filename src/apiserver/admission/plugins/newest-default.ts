import { parseTime } from "#/machinery/time.ts";
import type { ApiObject } from "../../registry/strategy.ts";

/** The default among classes that claim to be it: the newest, and of those the first by name. */
export function newestDefault<T extends ApiObject>(
  classes: Iterable<T>,
  annotations: readonly string[],
): T | undefined {
  let best: T | undefined;
  for (const candidate of classes) {
    if (!annotations.some((key) => candidate.metadata.annotations?.[key] === "true")) continue;
    if (!best || createdMs(candidate) > createdMs(best)) best = candidate;
  }
  return best;
}

const createdMs = ({ metadata }: ApiObject): number =>
  metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
