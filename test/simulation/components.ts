import { InProcessTransport } from "#/apiserver/http/in-process-transport.ts";
import type { Handler, UserInfo } from "#/apiserver/model/exchange.ts";
import { Client } from "#/client/client.ts";
import { seriesRecorder } from "#/client/events/event-series.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import type { ApiRequest } from "#/client/transport/transport.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { controllerFlags } from "#/controllers/base/controller-flags.ts";
import { genericFlags } from "#/controllers/base/generic-flags.ts";
import { controllerEntries } from "#/controllers/index.ts";
import { withDefaults } from "#/scheduler/config/load-configuration.ts";
import { eventSink } from "#/scheduler/event-sink.ts";
import { SchedulerMetrics } from "#/scheduler/metrics.ts";
import { plugins } from "#/scheduler/plugins/index.ts";
import { Scheduler } from "#/scheduler/scheduler.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import type { Dice } from "./dice.ts";
import type { Faults } from "./faults.ts";
import { FaultyTransport } from "./faulty-transport.ts";

/** The controllers of the simulation: those that create, count and delete Pods. */
const controllerNames = new Set([
  "cronjob-controller",
  "daemonset-controller",
  "deployment-controller",
  "disruption-controller",
  "garbage-collector-controller",
  "job-controller",
  "namespace-controller",
  "node-lifecycle-controller",
  "pod-garbage-collector-controller",
  "replicaset-controller",
  "resourcequota-controller",
  "statefulset-controller",
  "taint-eviction-controller",
]);

export interface Cluster {
  readonly api: TestApiServer;
  readonly clock: Clock;
  readonly faults: Faults;
  /** Whether controllers and scheduler write Events; default false. */
  readonly recordsEvents?: boolean;
  readonly openWatches: Set<AbortController>;
  /** Throws the error of a component's request that the server refuses. */
  readonly refuse?: (component: string, request: ApiRequest) => void;
  /** Called with each pending request of a component. */
  readonly observe: (component: string, request: ApiRequest) => Disposable;
  /** Called when a component can't know whether its request was carried out. */
  readonly onUnknown: (component: string, request: ApiRequest) => void;
}

const groups = ["system:masters", "system:authenticated"];

/** A client of the API server over a faulty network. */
export function clientOf(cluster: Cluster, component: string, signal: AbortSignal): Client {
  const { api, clock, faults, openWatches } = cluster;
  const user: UserInfo = { name: component, groups };
  const inner = new InProcessTransport(api.handler, { user, freeze: true, clock });
  const options = {
    faults,
    clock,
    signal,
    openWatches,
    refuse: (request: ApiRequest) => cluster.refuse?.(component, request),
    observe: (request: ApiRequest) => cluster.observe(component, request),
    onUnknown: (request: ApiRequest) => cluster.onUnknown(component, request),
  };
  return new Client(new FaultyTransport(inner, options), { clock });
}

/** A client without faults, for observers outside of the cluster. */
export function directClient(handler: Handler, clock: Clock): Client {
  const user: UserInfo = { name: "user", groups };
  return new Client(new InProcessTransport(handler, { user, freeze: true, clock }), { clock });
}

/** A program that can be killed and started again. */
export class Component {
  readonly name: string;
  readonly #start: (signal: AbortSignal) => Promise<void>;
  #stop: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The error with which it ended by itself, which should never happen. */
  failure: unknown;

  constructor(name: string, start: (signal: AbortSignal) => Promise<void>) {
    this.name = name;
    this.#start = start;
  }

  start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#ended = this.#start(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.failure = error;
    });
  }

  kill(): void {
    this.#stop?.abort();
  }

  get ended(): Promise<void> {
    return this.#ended;
  }
}

export function controllerManager(cluster: Cluster): Component {
  const flags = parseFlags({ ...controllerFlags, ...genericFlags }, []).values;
  const controllers = controllerEntries
    .map(({ controller }) => controller)
    .filter(({ name }) => controllerNames.has(name));
  if (controllers.length !== controllerNames.size) throw new Error("a controller is not listed");
  const options = { flags, enabled: () => true };
  return new Component("kube-controller-manager", (signal) => {
    const client = clientOf(cluster, "kube-controller-manager", signal);
    const clientFor = (name: string) => clientOf(cluster, name, signal);
    const { clock } = cluster;
    const recorderFor = (component: string) => recorder(client, { component, clock, signal });
    const events = cluster.recordsEvents ? { recorderFor } : {};
    return runControllers(controllers, { client, clientFor, options, clock, ...events }, signal);
  });
}

export function scheduler(cluster: Cluster, dice: Dice): Component {
  const { clock } = cluster;
  return new Component("kube-scheduler", (signal) => {
    const client = clientOf(cluster, "kube-scheduler", signal);
    const one = new Scheduler({
      config: withDefaults(plugins),
      client,
      informers: new Informers(client, signal, { clock, random: dice.random }),
      clock,
      random: dice.random,
      metrics: new SchedulerMetrics(new Metrics(), clock),
      record: cluster.recordsEvents
        ? eventSink((component) => seriesRecorder(client, { component, clock, signal }))
        : () => undefined,
    });
    return one.run(signal);
  });
}
