import type { EventRecorder } from "#/client/event-recorder.ts";
import { eventReference } from "#/client/event-reference.ts";
import type { EventSink } from "./framework/context.ts";

/** Records events as the scheduler that the pod asked for; those of another scheduler's victims as the preemptor's. */
export function eventSink(open: (schedulerName: string) => EventRecorder): EventSink {
  const recorders = new Map<string, EventRecorder>();
  return ({ regarding, related, type, reason, action, note }) => {
    const name = (related ?? regarding).spec.schedulerName ?? "";
    let recorder = recorders.get(name);
    if (recorder === undefined) {
      recorder = open(name);
      recorders.set(name, recorder);
    }
    const details = { action, ...(related ? { related: eventReference(related) } : {}) };
    recorder.event(regarding, type, reason, note, details);
  };
}
