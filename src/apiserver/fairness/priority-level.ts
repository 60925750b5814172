import type { PriorityLevelConfiguration } from "#/api/flowcontrol/v1.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { RequestInfo } from "../model/request-info.ts";
import { dealHand, hashFlow } from "./shuffle-shard.ts";

/** The reason why a request is refused. */
export type Rejection = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

/** Lends seats between levels. */
export interface SeatPool {
  /** Whether a level that uses all of its own seats may take this many more. */
  mayBorrow(borrower: PriorityLevel, seats: number): boolean;
  /** Seats have become free: requests of other levels may be waiting for them. */
  released(level: PriorityLevel): void;
}

/** Waiting requests, for debug dumps. */
interface Waiter {
  readonly schema: string;
  readonly distinguisher: string;
  readonly user: string;
  readonly info: RequestInfo;
}

interface Waiting {
  readonly seats: number;
  readonly arrivedMs: number;
  readonly who: Waiter;
  /** Resolves the request's wait: it may run, or the reason why not. */
  readonly settle: (rejection: Rejection | undefined) => void;
}

interface Queue {
  readonly waiting: Waiting[];
  /** Seats given to this queue's requests so far, raised after it was idle: the least served queue is next. */
  served: number;
}

interface LevelOptions {
  readonly clock: Clock;
  readonly pool: SeatPool;
  /** Limit of the wait of a request. */
  readonly waitMs: number;
  /** Seats of all levels together. */
  readonly totalSeats: number;
}

/**
 * A priority level: seats for running requests, and queues for waiting ones. Each flow waits in one of a few queues,
 * and queues are served in turn, so that a flow with many requests delays mainly itself.
 * Upstream: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset/queueset.go.
 */
export class PriorityLevel {
  readonly name: string;
  /** Its own seats. */
  nominalSeats = 0;
  usedSeats = 0;
  waitingSeats = 0;
  executing = 0;
  queued = 0;
  /** Number of requests that got their seats. */
  dispatched = 0;
  /** Number of refused requests, by reason. */
  readonly refused: Record<Rejection, number> = {
    "queue-full": 0,
    "concurrency-limit": 0,
    "time-out": 0,
    cancelled: 0,
  };
  config: PriorityLevelConfiguration;
  readonly #options: LevelOptions;
  #queues: Queue[] = [];

  constructor(config: PriorityLevelConfiguration, options: LevelOptions) {
    this.name = config.metadata.name ?? "";
    this.config = config;
    this.#options = options;
    this.configure(config);
  }

  /** Applies a new configuration; waiting requests stay in their queues. */
  configure(config: PriorityLevelConfiguration): void {
    this.config = config;
    const wanted = config.spec.limited?.limitResponse.queuing?.queues ?? 0;
    while (this.#queues.length < wanted) this.#queues.push({ waiting: [], served: 0 });
  }

  /** The waiting requests of each queue. */
  get queues(): readonly { readonly waiting: readonly Omit<Waiting, "settle">[] }[] {
    return this.#queues;
  }

  get isExempt(): boolean {
    return this.config.spec.type === "Exempt";
  }

  /** Seats that other levels can't borrow. */
  get lowerSeats(): number {
    const { limited, exempt } = this.config.spec;
    const percent = (limited ?? exempt)?.lendablePercent ?? 0;
    return this.nominalSeats - Math.round((this.nominalSeats * percent) / 100);
  }

  /** Limit of its seats with all that it may borrow. */
  get upperSeats(): number {
    const percent = this.config.spec.limited?.borrowingLimitPercent;
    if (percent === undefined) return this.nominalSeats + this.#options.totalSeats;
    return this.nominalSeats + Math.round((this.nominalSeats * percent) / 100);
  }

  /** Its own seats, or more if it has borrowed some. */
  get currentSeats(): number {
    return Math.max(this.nominalSeats, this.usedSeats);
  }

  /** Takes seats at once if that is fair to waiting requests. */
  tryStart(seats: number): boolean {
    if (this.isExempt || (this.queued === 0 && this.#hasRoom(seats))) {
      this.#start(seats);
      return true;
    }
    return false;
  }

  /** Waits for seats; resolves with the reason if there are none, or undefined. */
  wait(
    seats: number,
    who: () => Waiter,
    signal: () => AbortSignal,
  ): Promise<Rejection | undefined> {
    const { queuing } = this.config.spec.limited?.limitResponse ?? {};
    if (!queuing) return this.#refuse("concurrency-limit");
    const waiter = who();
    const flow = hashFlow(waiter.schema, waiter.distinguisher);
    const queue = this.#shortest(dealHand(flow, queuing.queues, queuing.handSize));
    if (!queue || queue.waiting.length >= queuing.queueLengthLimit) {
      return this.#refuse("queue-full");
    }
    return this.#enqueue(queue, seats, waiter, signal());
  }

  #refuse(reason: Rejection): Promise<Rejection> {
    this.refused[reason]++;
    return Promise.resolve(reason);
  }

  /** Releases seats. */
  finish(seats: number): void {
    this.usedSeats -= seats;
    this.executing--;
    this.dispatch();
    this.#options.pool.released(this);
  }

  /** Starts as many waiting requests as there are free seats for. */
  dispatch(): void {
    while (this.queued > 0) {
      const queue = this.#leastServed();
      const next = queue?.waiting[0];
      if (!queue || !next || !this.#hasRoom(next.seats)) return;
      this.#start(next.seats);
      queue.served += next.seats;
      next.settle(undefined);
    }
  }

  #hasRoom(seats: number): boolean {
    // A request that needs more seats than there are may run alone.
    if (this.usedSeats === 0 && this.nominalSeats > 0) return true;
    if (this.usedSeats + seats <= this.nominalSeats) return true;
    return this.#options.pool.mayBorrow(this, seats);
  }

  #start(seats: number): void {
    this.usedSeats += seats;
    this.executing++;
    this.dispatched++;
  }

  #enqueue(
    queue: Queue,
    seats: number,
    who: Waiter,
    signal: AbortSignal,
  ): Promise<Rejection | undefined> {
    const { clock, waitMs } = this.#options;
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const cancel = () => entry.settle("cancelled");
      const entry: Waiting = {
        seats,
        who,
        arrivedMs: clock.now(),
        settle: (rejection) => {
          const place = queue.waiting.indexOf(entry);
          if (place < 0) return;
          queue.waiting.splice(place, 1);
          this.queued--;
          if (rejection) this.refused[rejection]++;
          this.waitingSeats -= seats;
          timer?.cancel();
          signal.removeEventListener("abort", cancel);
          resolve(rejection);
        },
      };
      if (queue.waiting.length === 0) queue.served = Math.max(queue.served, this.#minServed());
      queue.waiting.push(entry);
      this.queued++;
      this.waitingSeats += seats;
      timer = clock.setTimer(waitMs, () => entry.settle("time-out"), { keepAlive: false });
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
      this.dispatch();
    });
  }

  #shortest(hand: readonly number[]): Queue | undefined {
    let best: Queue | undefined;
    for (const card of hand) {
      const queue = this.#queues[card];
      if (queue && (!best || queue.waiting.length < best.waiting.length)) best = queue;
    }
    return best;
  }

  #leastServed(): Queue | undefined {
    let best: Queue | undefined;
    for (const queue of this.#queues) {
      if (queue.waiting.length > 0 && (!best || queue.served < best.served)) best = queue;
    }
    return best;
  }

  /** The minimum of seats given to the queues in use: the start value of a queue that was idle. */
  #minServed(): number {
    const least = this.#leastServed();
    return least
      ? least.served
      : this.#queues.reduce((max, { served }) => Math.max(max, served), 0);
  }
}
