import type { ReplicaSet } from "#/api/apps/v1.ts";
import { namespaces, type Pod } from "#/api/core/v1.ts";
import { replaceSystemRandom } from "#/std/base/random.ts";
import { configureLogging } from "#/std/log/log.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import {
  type Cluster,
  clientOf,
  controllerManager,
  directClient,
  scheduler,
} from "./components.ts";
import { pendingPods, whatIsLeft } from "./convergence.ts";
import { Dice } from "./dice.ts";
import { Faults } from "./faults.ts";
import { FaultyStorage } from "./faulty-storage.ts";
import { SimulatedNode } from "./node.ts";
import { Operator } from "./operator.ts";
import { isReady, nameOf } from "./pods.ts";
import { Properties } from "./properties/index.ts";
import { Trace } from "./trace.ts";
import { Troubles } from "./troubles.ts";
import { maxTurns, untilIdle, withinTurns } from "./turns.ts";
import { User } from "./user.ts";
import { World } from "./world.ts";

export interface SimulationOptions {
  readonly seed: number;
  /** Number of actions of the user and the faults. */
  readonly steps?: number;
  /** Whether resources become unlistable, a webhook refuses objects, and the wall clock steps. */
  readonly troubles?: boolean;
  readonly onLine?: (line: string) => void;
  /** Admission plugins that are disabled, to check that their lack is found. */
  readonly withoutAdmission?: readonly string[];
  /**
   * Whether components run for days: they record Events and are not restarted, and the properties of single writes,
   * whose own notes would grow, are not checked.
   */
  readonly isLong?: boolean;
}

export interface Outcome {
  readonly seed: number;
  readonly troubles: boolean;
  readonly digest: string;
  readonly events: number;
  readonly simulatedMs: number;
  /** Undefined if the run succeeded. */
  readonly failure?: {
    readonly step: number;
    readonly reason: string;
    readonly last: readonly string[];
  };
}

const nodeCount = 5;
/** Limit of the time between two actions of a long run (ms). */
const longPauseMs = 8 * 60_000;
/** Parts in which time passes (ms), each until no more work is pending; in a long run, requests may take one. */
const partMs = 250;
const longPartMs = 2_000;
const defaultSteps = 60;
/** Limit of the time without progress once nothing fails (ms): longer than the longest back-off. */
const convergenceMs = 45 * 60_000;
const eventsPrefix = "/registry/events/";
const neverAborted = new AbortController().signal;
/** Limit of the whole convergence (ms): longer than a rollout whose every Pod waits for the longest back-off. */
const maxConvergenceMs = 8 * 60 * 60_000;
/** Limit of the time until components have ended (ms). */
const maxStopMs = 10 * 60_000;

/** Runs one simulated cluster. The same seed gives the same outcome. */
export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const { steps = defaultSteps } = options;
  return withRun(options, (run) => run.outcome(steps));
}

/** Opens a cluster, uses it, and ends it. */
export async function withRun<T>(
  options: SimulationOptions,
  use: (run: Run) => Promise<T>,
): Promise<T> {
  const run = await Run.open(options);
  using _random = replaceSystemRandom(new Dice(options.seed, "process").random);
  configureLogging({ write: (line) => run.log(line), clock: run.clock, pid: 1 });
  try {
    return await use(run);
  } finally {
    await run.close();
  }
}

export class Run {
  readonly clock: FakeClock;
  readonly storage: FaultyStorage;
  readonly #seed: number;
  readonly #isLong: boolean;
  readonly #trace: Trace;
  readonly #world: World;
  readonly #properties: Properties;
  readonly #faults: Faults;
  readonly #cluster: Cluster;
  readonly #user: User;
  readonly #operator: Operator;
  readonly #dice: Dice;
  /** Undefined if there are none. */
  readonly #troubles: Troubles | undefined;
  #activity = 0;
  /** Reports that work continues without end, and when. */
  #endless: string | undefined;

  static async open(options: SimulationOptions): Promise<Run> {
    const { seed, withoutAdmission = [] } = options;
    const clock = new FakeClock();
    const storage = new FaultyStorage({ clock, historyLimit: 2_000 });
    const without = ["ServiceAccount", ...withoutAdmission].join(",");
    const api = await startAdmittingServer([`--disable-admission-plugins=${without}`], {
      clock,
      storage,
      random: new Dice(seed, "names").random,
    });
    return new Run(options, clock, storage, api);
  }

  private constructor(
    { seed, onLine, troubles = false, isLong = false }: SimulationOptions,
    clock: FakeClock,
    storage: FaultyStorage,
    api: Cluster["api"],
  ) {
    this.#seed = seed;
    this.#isLong = isLong;
    this.clock = clock;
    this.storage = storage;
    const trace = new Trace(clock);
    trace.onLine = onLine;
    this.#trace = trace;
    this.#dice = new Dice(seed, "steps");
    this.#troubles = troubles ? new Troubles(new Dice(seed, "troubles"), trace, clock) : undefined;
    const world = new World(api.registry, clock);
    this.#world = world;
    const properties = new Properties();
    this.#properties = properties;
    this.#faults = new Faults(new Dice(seed, "faults"));
    storage.faults = this.#faults;
    storage.onCommit = (key, value) => this.#commit(key, value);
    this.#cluster = {
      api,
      clock,
      faults: this.#faults,
      recordsEvents: isLong,
      openWatches: new Set(),
      refuse: (component, request) => this.#troubles?.check(component, request),
      observe: (component, request) => {
        this.#activity++;
        return properties.observe(component, request);
      },
      onUnknown: (component, request) => properties.onUnknown(component, request, world),
    };
    const nodes = Array.from({ length: nodeCount }, (_, index) => {
      const name = `node-${index}`;
      const client = clientOf(this.#cluster, name, neverAborted);
      return new SimulatedNode({ name, client, clock, dice: new Dice(seed, name), trace });
    });
    const components = [
      controllerManager(this.#cluster),
      scheduler(this.#cluster, new Dice(seed, "scheduler")),
    ];
    const { availability, budgets } = properties;
    const shared = {
      world,
      trace,
      availability,
      budgets,
      client: directClient(api.handler, clock),
    };
    this.#user = new User({ ...shared, dice: new Dice(seed, "user") });
    this.#operator = new Operator({
      ...shared,
      cluster: this.#cluster,
      nodes,
      components,
      storage,
      dice: new Dice(seed, "operator"),
      settle: () => this.#settle(),
      restarts: !isLong,
    });
  }

  log(line: string): void {
    this.#trace.add("log", line.trimEnd().replace(/^.*?\] /, ""));
  }

  async outcome(steps: number): Promise<Outcome> {
    let step = 0;
    let reason: string | undefined;
    try {
      await this.begin();
      for (; step < steps && !this.#failure; step++) await this.#step();
      reason = this.#failure ?? (await this.#converge());
    } catch (error) {
      reason = `the simulation broke off: ${error instanceof Error ? error.stack : error}`;
    }
    const outcome = {
      seed: this.#seed,
      troubles: this.#troubles !== undefined,
      digest: this.#trace.digest(),
      events: this.#trace.count,
      simulatedMs: this.clock.monotonicMs(),
    };
    return reason === undefined
      ? outcome
      : { ...outcome, failure: { step, reason, last: this.#trace.last } };
  }

  async close(): Promise<void> {
    this.#faults.isOn = false;
    // Components that sleep must wake to notice the end.
    let isOver = false;
    const stopped = this.#operator.stop().then(() => {
      isOver = true;
    });
    for (let ms = 0; !isOver && ms < maxStopMs; ms += 1_000) {
      await withinTurns(this.clock.advance(1_000));
    }
    if (!isOver) throw new Error(`seed ${this.#seed}: the components do not end`);
    await stopped;
    await this.#cluster.api[Symbol.asyncDispose]();
  }

  get openWatches(): number {
    return this.#cluster.openWatches.size;
  }

  get last(): readonly string[] {
    return this.#trace.last;
  }

  get #failure(): string | undefined {
    return this.#properties.violation ?? this.#operator.failure ?? this.#endless;
  }

  async begin(): Promise<void> {
    const client = directClient(this.#cluster.api.handler, this.clock);
    for (const name of ["default", "kube-system", "kube-node-lease"]) {
      await client.create(namespaces, { metadata: { name }, spec: {} });
    }
    this.#operator.start();
    await this.#advance(20_000);
    this.#faults.isOn = true;
  }

  /**
   * Users and faults for a time (ms); then nothing fails, and the user deletes everything and waits for a time (ms).
   * Returns why that did not work.
   */
  async work(workMs: number, restMs: number): Promise<string | undefined> {
    this.#faults.isOn = true;
    const endMs = this.clock.monotonicMs() + workMs;
    while (this.clock.monotonicMs() < endMs && !this.#failure) {
      await this.#act();
      await this.#advance(this.#dice.between(1_000, longPauseMs));
    }
    const reason = this.#failure ?? (await this.#converge());
    if (reason !== undefined) return reason;
    await this.#user.leave();
    await this.#advance(restMs);
    const left = whatIsLeft(this.#world);
    return this.#failure ?? (left.length > 0 ? `left over:\n  ${left.join("\n  ")}` : undefined);
  }

  async #act(): Promise<void> {
    if (this.#dice.chance(0.7)) void this.#user.act();
    else await this.#operator.act();
    this.#troubles?.act();
    await this.#settle();
  }

  async #step(): Promise<void> {
    const dice = this.#dice;
    await this.#act();
    await this.#advance(dice.chance(0.2) ? dice.between(10_000, 60_000) : dice.between(1, 5_000));
  }

  async #converge(): Promise<string | undefined> {
    this.#trace.add("simulation", "nothing fails from now on");
    this.#faults.isOn = false;
    this.#troubles?.heal();
    await this.#operator.heal();
    let left: string[] = [];
    const startMs = this.clock.monotonicMs();
    let progressMs = startMs;
    // CronJobs may create suspended Jobs after the user checked: checked again each time.
    while (!this.#failure) {
      const nowMs = this.clock.monotonicMs();
      if (nowMs - progressMs > convergenceMs || nowMs - startMs > maxConvergenceMs) break;
      void this.#user.settle();
      await this.#advance(30_000);
      const before = left;
      left = whatIsLeft(this.#world);
      if (left.length === 0) return this.#failure;
      // A Pod that a quota refuses is retried after minutes, and Pods of a rollout may wait one after another.
      if (left.join() !== before.join()) progressMs = this.clock.monotonicMs();
    }
    if (this.#failure) return this.#failure;
    const minutes = Math.round((this.clock.monotonicMs() - startMs) / 60_000);
    return `not at rest after ${minutes} minutes:\n  ${[...left, ...pendingPods(this.#world)].join("\n  ")}`;
  }

  /** Advances the clock in small steps, each until no more work is pending. */
  async #advance(ms: number): Promise<void> {
    const stepMs = this.#isLong ? longPartMs : partMs;
    for (let left = ms; left > 0 && !this.#failure; left -= stepMs) {
      const isPast = await withinTurns(this.clock.advance(Math.min(stepMs, left)));
      if (!isPast) this.#giveUp();
      await this.#settle();
    }
    if (this.#isLong) return;
    const isSteady = (node: string) => this.#operator.isSteady(node);
    this.#properties.availability.settle(this.#world, isSteady);
  }

  async #settle(): Promise<void> {
    if (this.#endless !== undefined) return;
    if (!(await untilIdle(() => this.#activity))) this.#giveUp();
  }

  #giveUp(): void {
    this.#endless ??= `something goes on without end: not at rest after ${maxTurns} turns`;
  }

  #commit(path: string, value: Uint8Array | undefined): void {
    this.#activity++;
    // Events expire in the store, which is no write.
    if (path.startsWith(eventsPrefix)) return;
    const change = this.#world.apply(path, value);
    if (!change) return;
    if (change.resource !== "leases") this.#trace.add("store", describe(change));
    if (!this.#isLong) this.#properties.check(change, this.#world);
  }
}

function describe({ resource, key, now, old }: NonNullable<ReturnType<World["apply"]>>): string {
  const verb = now ? (old ? "changed" : "created") : "deleted";
  if (resource === "replicasets" && now) {
    const { spec, status } = now as ReplicaSet;
    const sizes = [spec?.replicas, status?.replicas, status?.availableReplicas];
    return `${resource} ${key} ${verb}: ${sizes.map((size) => size ?? 0).join("/")}`;
  }
  if (resource !== "pods" || !now) return `${resource} ${key} ${verb}`;
  const pod = now as Pod;
  const facts = [pod.status?.phase, pod.spec?.nodeName, isReady(pod) ? "ready" : ""];
  if (pod.metadata.deletionTimestamp) facts.push("terminating");
  return `${resource} ${nameOf(pod)} ${verb}: ${facts.filter(Boolean).join(" ")}`;
}
