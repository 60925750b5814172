import { namespaces, type Pod, pods } from "#/api/core/v1.ts";
import { events } from "#/api/events/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists } from "#/machinery/meta/status-error.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { SchedulingCase } from "./cases.ts";

/** The visible results of a scheduler. */
export interface Observed {
  readonly pods: Readonly<Record<string, ObservedPod>>;
  /** "Warning FailedScheduling Scheduling default/pod default-scheduler: note", sorted. */
  readonly events: readonly string[];
}

export interface ObservedPod {
  readonly nodeName?: string | undefined;
  readonly nominatedNodeName?: string | undefined;
  readonly isBeingDeleted?: boolean | undefined;
  /** "PodScheduled=False Unschedulable: message". */
  readonly conditions: readonly string[];
}

const quietMs = 700;
/** Limit of the wait for a scheduler that reports nothing (ms). */
const idleLimitMs = 3_000;
const maxMs = 20_000;

/** Creates the objects of a case. */
export async function populate(client: Client, { objects }: SchedulingCase): Promise<void> {
  try {
    await client.create(namespaces, { metadata: { name: "default" }, spec: {} });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  for (const [resource, object] of objects) {
    await client.create(resource, object, { namespace: "default" });
  }
}

/** Waits until a scheduler has handled all pods and nothing more happens, and returns the visible result. */
export async function observe(client: Client, waitFactor = 1): Promise<Observed> {
  const startMs = systemClock.monotonicMs();
  let last = "";
  let sinceMs = startMs;
  for (;;) {
    const seen = await look(client);
    const now = systemClock.monotonicMs();
    const text = JSON.stringify(seen);
    if (text !== last) [last, sinceMs] = [text, now];
    const isDone = Object.values(seen.pods).every(({ nodeName, conditions }) => {
      return nodeName !== undefined || conditions.length > 0;
    });
    const enoughMs = waitFactor * (seen.events.length > 0 ? quietMs : idleLimitMs);
    if (isDone && now - sinceMs > enoughMs) return seen;
    if (now - startMs > maxMs) return seen;
    // The real scheduler does not report that it is done: an idle time is the only sign.
    await systemClock.sleep(50);
  }
}

async function look(client: Client): Promise<Observed> {
  const podList = await client.listAll(pods, { namespace: "default" });
  const eventList = await client.listAll(events, { namespace: "default" });
  const byUid = new Map(podList.map(({ metadata }) => [metadata.uid ?? "", metadata.name ?? ""]));
  const named = (text: string): string =>
    text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (uid) => `UID(${byUid.get(uid) ?? ""})`);
  return {
    pods: Object.fromEntries(podList.map((pod) => [pod.metadata.name ?? "", lookAt(pod)])),
    events: eventList
      .map((event) => {
        const { type = "", reason = "", action = "", regarding, note = "" } = event;
        const about = `${regarding?.kind ?? ""} ${regarding?.name ?? ""}`;
        const related = event.related ? ` (${event.related.kind} ${event.related.name})` : "";
        const controller = event.reportingController ?? "";
        return `${type} ${reason} ${action} ${about}${related} ${controller}: ${named(note)}`;
      })
      .sort(),
  };
}

function lookAt({ metadata, spec, status }: Pod): ObservedPod {
  return {
    nodeName: spec.nodeName,
    nominatedNodeName: status?.nominatedNodeName,
    isBeingDeleted: metadata.deletionTimestamp === undefined ? undefined : true,
    conditions: (status?.conditions ?? []).map((condition) => {
      const { type, status: value, reason = "", message = "", observedGeneration = 0 } = condition;
      return `${type}=${value} ${reason} (${observedGeneration}): ${message}`;
    }),
  };
}
