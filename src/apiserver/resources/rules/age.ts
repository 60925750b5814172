import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ApiObject, Column } from "../../registry/strategy.ts";

/**
 * Times as the columns of `kubectl get` show them.
 *
 * Upstream: pkg/printers/internalversion/printers.go.
 */

/** How long ago a metav1.Time was; `<unknown>` when there is none. */
export function timeSince(timestamp: string | undefined, now: number): string {
  return timestamp ? humanDuration(now - parseTime(timestamp)) : "<unknown>";
}

/** The age of an object. */
export function age({ metadata }: ApiObject, now: number): string {
  return timeSince(metadata.creationTimestamp, now);
}

/** The column that every table begins with. */
export const nameColumn: Column<object> = {
  name: "Name",
  type: "string",
  format: "name",
  cell: ({ metadata }) => metadata.name ?? "",
};

/** The column that most tables end with. */
export const ageColumn: Column<object> = { name: "Age", type: "string", cell: age };
