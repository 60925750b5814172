import type { Client } from "#/client/client.ts";
import { CachedCatalog } from "#/client/discovery/cached-catalog.ts";
import { type EventRecorder, silentRecorder } from "#/client/events/event-recorder.ts";
import { Informers } from "#/client/informers/informers.ts";
import { WriteThroughClient } from "#/client/informers/write-through-client.ts";
import { logger } from "#/std/log/log.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import { queueMetrics } from "#/std/metrics/queue-metrics.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { Controller } from "./controller-context.ts";

/** What controllers share. */
export interface ControllersContext<Options = unknown> {
  readonly client: Client;
  readonly options: Options;
  /** Records events in a controller's name; default none. */
  readonly recorderFor?: (component: string) => EventRecorder;
  readonly clock?: Clock;
  /** Where workqueue_* metrics go. */
  readonly metrics?: Registry;
  /** The client of one controller, where each has an identity of its own (--use-service-account-credentials). */
  readonly clientFor?: (controller: string) => Client;
}

/**
 * Runs controllers over one set of informers until the signal aborts. Resolves when all have ended; one that dies takes
 * the others with it, and its error is thrown.
 */
export async function runControllers<Options>(
  controllers: readonly Controller<Options>[],
  context: ControllersContext<Options>,
  signal: AbortSignal,
): Promise<void> {
  const { client, options, clock = systemClock, metrics, recorderFor, clientFor } = context;
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const informers = new Informers(client, either, { clock, strict: true });
  const catalog = new CachedCatalog(client, clock);
  const observeQueue = metrics ? queueMetrics(metrics) : undefined;
  const running = controllers.map(async (controller) => {
    const { name, eventSource = name } = controller;
    try {
      await controller.run({
        client: new WriteThroughClient(clientFor?.(name) ?? client, informers, either),
        informers,
        catalog,
        recorder: recorderFor?.(eventSource) ?? silentRecorder,
        clock,
        log: logger(name),
        signal: either,
        options,
        metrics,
        observeQueue,
      });
    } catch (error) {
      failed.abort(error);
    }
  });
  await Promise.all(running);
  if (!signal.aborted) failed.signal.throwIfAborted();
}
