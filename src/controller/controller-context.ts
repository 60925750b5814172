import type { Client } from "#/client/client.ts";
import type { CachedCatalog } from "#/client/discovery/cached-catalog.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { QueueObserver } from "#/std/async/queue.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";

/** What a controller works with. Options are those of its component, such as parsed flags. */
export interface ControllerContext<Options = unknown> {
  /**
   * What it writes is in the informers' stores when the write resolves; see WriteThroughClient. A store is never behind
   * the controller's own writes, so it decides on what it sees and needs no expectations.
   */
  readonly client: Client;
  /** A store that hasn't been filled throws NotSyncedError, which means: reconcile later. */
  readonly informers: Informers;
  /** What the API has. */
  readonly catalog: CachedCatalog;
  /** Records events in the controller's name. */
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the controller must end. */
  readonly signal: AbortSignal;
  readonly options: Options;
  /** The metrics of the component, if it has any. */
  readonly metrics?: Registry | undefined;
  /** Observes a queue, by the name its metrics bear. */
  readonly observeQueue?: ((name: string) => QueueObserver) | undefined;
}

/** Something that runs until its context's signal aborts. */
export interface Controller<Options = unknown> {
  /** "deployment-controller". */
  readonly name: string;
  /** In whose name events are recorded; default its name. */
  readonly eventSource?: string | undefined;
  run(context: ControllerContext<Options>): Promise<void>;
}
