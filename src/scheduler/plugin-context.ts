import type { Resource } from "#/api/base/resource.ts";
import { pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { Random } from "#/std/base/random.ts";
import type { TurnBudget } from "#/std/memory/turn-budget.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { BindingsInProgress } from "./bindings-in-progress.ts";
import type { EventSink, Lister, PluginContext } from "./framework/context.ts";
import type { SchedulerMetrics } from "./metrics.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { podInformerOptions } from "./watch-cluster.ts";

interface ContextParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: Client;
  readonly informers: Informers;
  readonly metrics: SchedulerMetrics;
  readonly record: EventSink;
  readonly budget: TurnBudget;
  readonly bindings: BindingsInProgress;
  /** Created after the plugins, which define its order. */
  readonly queue: () => SchedulingQueue;
}

/** The services of the scheduler for its plugins. */
export function openPluginContext(parts: ContextParts): PluginContext {
  const { clock, random, client, informers, metrics, record, budget, bindings, queue } = parts;
  const listers = new Map<Resource<unknown>, Lister<unknown>>();
  const open = <T>(resource: Resource<T>): Lister<T> =>
    resource === (pods as Resource<unknown>)
      ? informers.informer(resource, podInformerOptions).store
      : informers.informer(resource).store;
  return {
    clock,
    random,
    client,
    record,
    lister<T>(resource: Resource<T>): Lister<T> {
      const found = listers.get(resource);
      // Each lister is stored under its own resource.
      if (found) return found as Lister<T>;
      const opened = open(resource);
      listers.set(resource, opened);
      return opened;
    },
    giveWay: async () => {
      if (budget.isSpent) await budget.yield();
    },
    nominatedOn: (nodeName) => queue().nominated.onNode(nodeName),
    countPreemption: (victims) => metrics.countPreemption(victims),
    activate: (list) => queue().activate(list),
    cancelBinding: (uid, plugin, message) => bindings.cancel(uid, plugin, message),
  };
}
