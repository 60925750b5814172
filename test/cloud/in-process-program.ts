import type { Client } from "#/client/client.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import { openAws } from "#/cloud/aws/aws-provider.ts";
import { cloudFlags } from "#/cloud/base/flags.ts";
import { serviceLbController } from "#/cloud/controllers/service/service-lb.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { sleepOn } from "#/std/time/timer.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import type { Program } from "./run-case.ts";

/** How much faster time passes: delays before retries are of seconds. */
const speed = 20;

const fastClock: Clock = {
  now: () => systemClock.now() + Math.round(systemClock.monotonicMs() * (speed - 1)),
  monotonicMs: () => systemClock.monotonicMs() * speed,
  sleep: (ms, signal) => sleepOn(fastClock, ms, signal),
  setTimer: (ms, run, options) => systemClock.setTimer(ms / speed, run, options),
  every: (ms, run, options) => systemClock.every(ms / speed, run, options),
};

/** The service controller with the provider aws, in this process. */
export class InProcessProgram implements Program {
  readonly #api: TestApiServer;
  readonly #config: string;
  #stop: AbortController | undefined;
  #running: Promise<void> | undefined;

  constructor(api: TestApiServer, config: string) {
    this.#api = api;
    this.#config = config;
  }

  async start(): Promise<void> {
    const stop = new AbortController();
    const { signal } = stop;
    this.#stop = stop;
    const client: Client = this.#api.client();
    const clock = fastClock;
    const informers = new Informers(client, signal, { clock, strict: true });
    const recorderFor = (component: string) => recorder(client, { component, signal });
    const metrics = new Registry();
    const provider = await openAws(this.#config, {
      client,
      informers,
      clusterName: "kubernetes",
      flags: {},
      clock,
      signal,
      metrics,
      log: logger("aws"),
      recorderFor,
    });
    const { values: flags } = parseFlags(cloudFlags, ["--cloud-provider=aws"]);
    const options = { provider, flags, enabled: () => true };
    const shared = { client, options, metrics, informers, clock, recorderFor };
    this.#running = runControllers([serviceLbController], shared, signal);
  }

  async stop(): Promise<void> {
    this.#stop?.abort();
    await this.#running;
  }
}
