import type { Pod } from "#/api/core/v1.ts";

type EventType = "Normal" | "Warning";

/** Events about pods and their containers, as `kubectl describe` shows them. */
export interface PodEvents {
  /** With the name of a container, the event's object is that container (`spec.containers{web}`). */
  record(pod: Pod, event: PodEvent): void;
}

interface PodEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
}
