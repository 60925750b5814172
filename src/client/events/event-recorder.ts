import type { ObjectReference } from "#/api/core/v1.ts";

export type EventType = "Normal" | "Warning";

export interface EventDetails {
  /** Another object that it is about as well. */
  readonly related?: ObjectReference | undefined;
  /** What was done, or tried; events.k8s.io demands one. */
  readonly action?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Tells users what happens to their objects. Never throws and never waits: an event that can't be written is lost. */
export interface EventRecorder {
  /** The object is an API object with kind and apiVersion, or a reference to one. */
  event(
    object: object,
    type: EventType,
    reason: string,
    message: string,
    details?: EventDetails,
  ): void;
}

/** Tells nobody. */
export const silentRecorder: EventRecorder = { event: () => undefined };
