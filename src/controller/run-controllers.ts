import type { Client } from "#/client/client.ts";
import { CachedCatalog } from "#/client/discovery/cached-catalog.ts";
import { type EventRecorder, silentRecorder } from "#/client/events/event-recorder.ts";
import { Informers } from "#/client/informers/informers.ts";
import { WriteThroughClient } from "#/client/informers/write-through-client.ts";
import { noSteps, type StepSink } from "#/client/journey/recorder.ts";
import { logger } from "#/std/log/log.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import { queueMetrics } from "#/std/metrics/queue-metrics.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { Controller } from "./controller-context.ts";
import { reconcileWrites } from "./controller-steps.ts";

/** The shared dependencies of controllers. */
interface ControllersContext<Options = unknown> {
  readonly client: Client;
  readonly options: Options;
  /** Makes the recorder of an event source; default none. */
  readonly recorderFor?: (component: string) => EventRecorder;
  readonly clock?: Clock;
  /** The registry of workqueue_* metrics. */
  readonly metrics?: Registry;
  /** Informers that others use too; default ones that end with the controllers. They must be strict. */
  readonly informers?: Informers;
  /** The client of a controller with its own identity (--use-service-account-credentials). */
  readonly clientFor?: (controller: string) => Client;
  /** Where it is reported what they do; default nowhere. */
  readonly steps?: StepSink;
}

/**
 * Runs controllers with one set of informers until the signal aborts. Resolves when all have ended;
 * if one fails, the others are stopped and its error is thrown.
 */
export async function runControllers<Options>(
  controllers: readonly Controller<Options>[],
  context: ControllersContext<Options>,
  signal: AbortSignal,
): Promise<void> {
  const { client, options, clock = systemClock, metrics, recorderFor, clientFor } = context;
  const { steps = noSteps } = context;
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const informers = context.informers ?? new Informers(client, either, { clock, strict: true });
  const catalog = new CachedCatalog(client, clock);
  const observeQueue = metrics ? queueMetrics(metrics) : undefined;
  const running = controllers.map(async (controller) => {
    const { name, eventSource = name } = controller;
    try {
      await controller.run({
        client: new WriteThroughClient(
          clientFor?.(name) ?? client,
          informers,
          either,
          reconcileWrites,
        ),
        informers,
        catalog,
        recorder: recorderFor?.(eventSource) ?? silentRecorder,
        clock,
        log: logger(name),
        signal: either,
        options,
        metrics,
        observeQueue,
        steps,
      });
    } catch (error) {
      failed.abort(error);
    }
  });
  await Promise.all(running);
  if (!signal.aborted) failed.signal.throwIfAborted();
}
