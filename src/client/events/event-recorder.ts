import type { ObjectReference } from "#/api/core/v1.ts";

type EventType = "Normal" | "Warning";

interface EventDetails {
  /** A second object that the event is about. */
  readonly related?: ObjectReference | undefined;
  /** The action that was done or tried; required by events.k8s.io. */
  readonly action?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Records events about objects. Never throws and never waits: an event that can't be written is
 * dropped.
 */
export interface EventRecorder {
  /** The object is an API object with kind and apiVersion, or a reference to it. */
  event(
    object: object,
    type: EventType,
    reason: string,
    message: string,
    details?: EventDetails,
  ): void;
}

/** Records nothing. */
export const silentRecorder: EventRecorder = { event: () => undefined };
