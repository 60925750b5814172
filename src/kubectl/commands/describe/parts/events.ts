/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (DescribeEvents). */

import { type Event, events } from "#/api/core/v1.ts";
import { goSort } from "#/std/go/go-sort.ts";
import type { Unstructured } from "../../../base/unstructured.ts";
import type { Context } from "../../../command/context.ts";
import type { Description } from "./description.ts";

interface EventSearch {
  /** The kind of the object; undefined for events that may have a wrong one. */
  readonly kind?: string;
  readonly uid?: string;
}

/** The events about an object; empty if they can't be read. */
export async function findEvents(
  context: Context,
  { metadata = {} }: Unstructured,
  { kind, uid = metadata.uid ?? "" }: EventSearch,
): Promise<readonly Event[]> {
  const { name = "", namespace = "" } = metadata;
  const fieldSelector = [
    `involvedObject.name=${name}`,
    `involvedObject.namespace=${namespace}`,
    ...(kind === undefined ? [] : [`involvedObject.kind=${kind}`]),
    ...(uid === "" ? [] : [`involvedObject.uid=${uid}`]),
  ].join(",");
  const client = await context.cluster.client();
  try {
    return await client.listAll(events, { namespace, fieldSelector });
  } catch {
    return [];
  }
}

/** A table of events, the oldest first. */
export function describeEvents(to: Description, found: readonly Event[]): void {
  if (found.length === 0) {
    to.field(0, "Events", "<none>");
    return;
  }
  to.flush();
  to.write(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n");
  to.write(1, "----\t------\t----\t----\t-------\n");
  const time = ({ lastTimestamp }: Event): string => lastTimestamp ?? "";
  for (const event of goSort(found, (a, b) => time(a) < time(b))) {
    const first = to.since(event.eventTime ?? event.firstTimestamp);
    const { series, count = 0 } = event;
    const age = series
      ? `${to.since(series.lastObservedTime)} (x${series.count ?? 0} over ${first})`
      : count > 1
        ? `${to.since(event.lastTimestamp)} (x${count} over ${first})`
        : first;
    const from = event.source?.component || event.reportingComponent || "";
    const path = event.involvedObject?.fieldPath ?? "";
    const message = `${path === "" ? "" : `${path}: `}${(event.message ?? "").trim()}`;
    to.write(1, `${event.type ?? ""}\t${event.reason ?? ""}\t${age}\t${from}\t${message}\n`);
  }
}
