import { Client } from "#/client/client.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { openAws } from "#/cloud/aws/aws-provider.ts";
import { awsFlags } from "#/cloud/aws/tagging/flags.ts";
import type { CloudOptions } from "#/cloud/base/cloud-options.ts";
import { cloudFlags } from "#/cloud/base/flags.ts";
import { controllerEntries } from "#/cloud/controllers/index.ts";
import type { Controller } from "#/controller/controller.ts";
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

const allFlags: typeof cloudFlags & typeof awsFlags = { ...cloudFlags, ...awsFlags };

/** Controllers with the provider aws, in this process. */
export class InProcessProgram implements Program {
  readonly #api: TestApiServer;
  readonly #config: string;
  readonly #flags: readonly string[];
  #stop: AbortController | undefined;

  constructor(api: TestApiServer, config: string, flags: readonly string[]) {
    this.#api = api;
    this.#config = config;
    this.#flags = flags;
  }

  async start(): Promise<void> {
    const stop = new AbortController();
    const { signal } = stop;
    this.#stop = stop;
    const client = new Client(mortal(this.#api.transport(), signal));
    const clock = fastClock;
    const informers = new Informers(client, signal, { clock, strict: true });
    const recorderFor = (component: string) => recorder(client, { component, signal });
    const metrics = new Registry();
    const { values: flags } = parseFlags(allFlags, ["--cloud-provider=aws", ...this.#flags]);
    const provider = await openAws(this.#config, {
      client,
      informers,
      clusterName: "kubernetes",
      flags,
      clock,
      signal,
      metrics,
      log: logger("aws"),
      recorderFor,
    });
    const options: CloudOptions = { provider, flags, enabled: () => true };
    const all: Controller<CloudOptions>[] = [
      ...controllerEntries.map(({ controller }) => controller),
      ...(provider.controllers ?? []),
    ];
    const chosen = all.filter(({ name }) => flags.controllers.includes(name));
    const shared = { client, options, metrics, informers, clock, recorderFor };
    // What goes on after the program's end fails, and changes nothing.
    void runControllers(chosen, shared, signal).catch(() => undefined);
  }

  /** Ends it at once: nothing that it would do later reaches the API server, as if it had been killed. */
  async stop(): Promise<void> {
    this.#stop?.abort();
  }
}

/** A transport that sends nothing any more after the end of its program. */
function mortal(transport: Transport, end: AbortSignal): Transport {
  return new Proxy(transport, {
    get(target, name) {
      if (end.aborted) throw new Error("the program has ended");
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
