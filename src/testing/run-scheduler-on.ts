import { InProcessTransport } from "#/apiserver/http/in-process-transport.ts";
import { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { withDefaults } from "#/scheduler/config/load-configuration.ts";
import { SchedulerMetrics } from "#/scheduler/metrics.ts";
import { plugins } from "#/scheduler/plugins/index.ts";
import { Scheduler } from "#/scheduler/scheduler.ts";
import { seededRandom } from "#/std/base/random.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { admin, type TestApiServer } from "./start-api-server.ts";
import { until } from "./until.ts";

export interface RunningScheduler extends AsyncDisposable {
  readonly client: Client;
  readonly scheduler: Scheduler;
  readonly registry: Registry;
  /** Recorded events: "Normal Scheduled Successfully assigned default/x to node". */
  readonly events: readonly string[];
  readonly until: typeof until;
}

export interface RunSchedulerOptions {
  readonly config?: Parameters<typeof withDefaults>[1];
  readonly clock?: Clock;
}

/** Runs a scheduler on a server in this process. */
export function runSchedulerOn(
  api: TestApiServer,
  { config, clock = systemClock }: RunSchedulerOptions = {},
): RunningScheduler {
  const stop = new AbortController();
  const client = new Client(new InProcessTransport(api.handler, { user: admin, freeze: true }));
  const events: string[] = [];
  const registry = new Registry();
  const scheduler = new Scheduler({
    config: withDefaults(plugins, config),
    client,
    informers: new Informers(client, stop.signal),
    clock,
    random: seededRandom(1),
    metrics: new SchedulerMetrics(registry, clock),
    record: ({ type, reason, note }) => void events.push(`${type} ${reason} ${note}`),
  });
  const running = scheduler.run(stop.signal);
  return {
    client,
    scheduler,
    registry,
    events,
    until,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
