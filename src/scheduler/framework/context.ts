import type { Resource } from "#/api/base/resource.ts";
import type { Pod } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { PodInfo } from "../cache/pod-info.ts";

/** The objects of one resource that the informer has received. They are immutable. */
export interface Lister<T> {
  list(): readonly T[];
  listNamespace(namespace: string): readonly T[];
  get(namespace: string | undefined, name: string): T | undefined;
}

/** Records Events about a pod. */
export type EventSink = (event: PodEvent) => void;

interface PodEvent {
  readonly regarding: Pod;
  /** The pod on whose behalf it is done, if it is another one. */
  readonly onBehalfOf?: Pod;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** The services of the scheduler for its plugins. */
export interface PluginContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: Client;
  lister<T>(resource: Resource<T>): Lister<T>;
  record: EventSink;
  /** Yields to the event loop if this turn has been long; long loops await it from time to time. */
  giveWay(): Promise<void>;
  /** Pods that have a nominated node. */
  nominatedOn(nodeName: string): readonly PodInfo[];
  /** Counts a preemption attempt, with the number of victims if there are any. */
  countPreemption(victims: number): void;
  /** Moves pods to the active queue at once. */
  activate(pods: Iterable<PodInfo>): void;
  /** Rejects a pod that waits for Permit or is in PreBind; false if it is in neither. */
  cancelBinding(uid: string, plugin: string, message: string): boolean;
}
