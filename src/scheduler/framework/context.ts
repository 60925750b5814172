import type { Resource } from "#/api/base/resource.ts";
import type { Pod } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Random } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { PodInfo } from "../cache/pod-info.ts";

/** The objects of one resource, as far as they have been heard of. Nobody may change them. */
export interface Lister<T> {
  list(): readonly T[];
  listNamespace(namespace: string): readonly T[];
  get(namespace: string | undefined, name: string): T | undefined;
}

/** Tells users what happens to a pod, as Events. */
export type EventSink = (event: PodEvent) => void;

interface PodEvent {
  readonly regarding: Pod;
  /** The pod for which it is done, if it is another. */
  readonly onBehalfOf?: Pod;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** What plugins may ask of the scheduler that runs them. */
export interface PluginContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: Client;
  lister<T>(resource: Resource<T>): Lister<T>;
  record: EventSink;
  /** Lets all else have its turn if this one has been long; long loops await it now and then. */
  giveWay(): Promise<void>;
  /** Pods that were promised a node. */
  nominatedOn(nodeName: string): readonly PodInfo[];
  /** Counts an attempt to preempt, with the number of victims if there are any. */
  countPreemption(victims: number): void;
  /** Tries pods again at once. */
  activate(pods: Iterable<PodInfo>): void;
  /** Gives up a pod that waits for permission or is being prepared for binding; false if it does neither. */
  cancelBinding(uid: string, plugin: string, message: string): boolean;
}
