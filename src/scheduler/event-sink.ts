import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { EventSink } from "./framework/context.ts";

/** Records events as the scheduler named in the pod: the pod that the event is about, or the one on whose behalf it happens. */
export function eventSink(open: (schedulerName: string) => EventRecorder): EventSink {
  const recorders = new Map<string, EventRecorder>();
  return ({ regarding, onBehalfOf, type, reason, action, note }) => {
    const name = (onBehalfOf ?? regarding).spec.schedulerName ?? "";
    let recorder = recorders.get(name);
    if (recorder === undefined) {
      recorder = open(name);
      recorders.set(name, recorder);
    }
    recorder.event(regarding, type, reason, note, { action });
  };
}
