import type { Client } from "#/client/client.ts";
import type { CachedCatalog } from "#/client/discovery/cached-catalog.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { StepSink } from "#/client/journey/recorder.ts";
import type { QueueObserver } from "#/std/async/queue.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";

/** The dependencies of a controller. Options are those of its component, such as parsed flags. */
export interface ControllerContext<Options = unknown> {
  /**
   * Its writes are in the informers' stores when they resolve; see WriteThroughClient. A store is
   * never behind the controller's own writes, so a controller decides on the store and needs no
   * expectations.
   */
  readonly client: Client;
  /** A store that isn't filled throws NotSyncedError, which means: reconcile later. */
  readonly informers: Informers;
  /** The resources of the API server. */
  readonly catalog: CachedCatalog;
  /** Records events with the controller as source. */
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the controller must stop. */
  readonly signal: AbortSignal;
  readonly options: Options;
  /** The metrics of the component, if any. */
  readonly metrics?: Registry | undefined;
  /** Where it is reported what controllers do. */
  readonly steps: StepSink;
  /** Observes a queue, by its name in metrics. */
  readonly observeQueue?: ((name: string) => QueueObserver) | undefined;
}

/** Runs until its context's signal aborts. */
export interface Controller<Options = unknown> {
  /** "deployment-controller". */
  readonly name: string;
  /** Source of its events; default its name. */
  readonly eventSource?: string | undefined;
  run(context: ControllerContext<Options>): Promise<void>;
}
