import type { ObjectMeta } from "#/api/meta/v1.ts";
import { parseTime } from "../time/time.ts";

interface Named {
  readonly metadata: ObjectMeta;
}

/**
 * The default among classes that are marked as default: the newest, and of those the first by name.
 */
export function newestDefault<T extends Named>(
  classes: Iterable<T>,
  annotations: readonly string[],
): T | undefined {
  let best: T | undefined;
  for (const candidate of classes) {
    if (!annotations.some((key) => candidate.metadata.annotations?.[key] === "true")) continue;
    if (!best || precedes(candidate, best)) best = candidate;
  }
  return best;
}

function precedes(a: Named, b: Named): boolean {
  const younger = createdMs(a) - createdMs(b);
  return younger > 0 || (younger === 0 && (a.metadata.name ?? "") < (b.metadata.name ?? ""));
}

const createdMs = ({ metadata }: Named): number =>
  metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : 0;
