import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ApiObject, Column } from "../../registry/strategy.ts";

/**
 * Times in the columns of `kubectl get`.
 *
 * Upstream: pkg/printers/internalversion/printers.go.
 */

/** Time since a metav1.Time; `<unknown>` if there is none. */
export function timeSince(timestamp: string | undefined, now: number): string {
  return timestamp ? humanDuration(now - parseTime(timestamp)) : "<unknown>";
}

/** The age of an object. */
export function age({ metadata }: ApiObject, now: number): string {
  return timeSince(metadata.creationTimestamp, now);
}

/** The first column of every table. */
export const nameColumn: Column<object> = {
  name: "Name",
  type: "string",
  format: "name",
  cell: ({ metadata }) => metadata.name ?? "",
};

/** The last column of most tables. */
export const ageColumn: Column<object> = { name: "Age", type: "string", cell: age };
