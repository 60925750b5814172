import type { PriorityLevelConfiguration } from "#/api/flowcontrol/v1.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { RequestInfo } from "../model/request-info.ts";
import { dealHand, hashFlow } from "./shuffle-shard.ts";

/** Why a request isn't served now. */
export type Rejection = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

/** Lends seats between levels. */
export interface SeatPool {
  /** Whether a level that uses all of its own seats may take so many more. */
  mayBorrow(borrower: PriorityLevel, seats: number): boolean;
  /** Seats have become free: others may be waiting for them. */
  released(level: PriorityLevel): void;
}

/** Who waits, for those who look into it. */
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
  /** Tells the request that it may run, or why not. */
  readonly settle: (rejection: Rejection | undefined) => void;
}

interface Queue {
  readonly waiting: Waiting[];
  /** Seats given to this queue's requests so far, brought up to date when it was idle: the least served is next. */
  served: number;
}

interface LevelOptions {
  readonly clock: Clock;
  readonly pool: SeatPool;
  /** How long a request may wait. */
  readonly waitMs: number;
  /** Seats of all levels together. */
  readonly totalSeats: number;
}

/**
 * A priority level: seats for the requests that run, and queues for those that must wait. Each flow waits in one of a few
 * queues of its own, and queues are served in turn, so that who sends much waits much.
 * Upstream: apiserver/pkg/util/flowcontrol/fairqueuing/queueset/queueset.go.
 */
export class PriorityLevel {
  readonly name: string;
  /** Seats that are its own. */
  nominalSeats = 0;
  usedSeats = 0;
  waitingSeats = 0;
  executing = 0;
  queued = 0;
  /** Requests that have got their seats so far. */
  dispatched = 0;
  /** And those that haven't, by why. */
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

  /** Takes on a new configuration; those that wait stay where they are. */
  configure(config: PriorityLevelConfiguration): void {
    this.config = config;
    const wanted = config.spec.limited?.limitResponse.queuing?.queues ?? 0;
    while (this.#queues.length < wanted) this.#queues.push({ waiting: [], served: 0 });
  }

  /** Who waits in each queue. */
  get queues(): readonly { readonly waiting: readonly Omit<Waiting, "settle">[] }[] {
    return this.#queues;
  }

  get isExempt(): boolean {
    return this.config.spec.type === "Exempt";
  }

  /** Seats that nobody can borrow. */
  get lowerSeats(): number {
    const { limited, exempt } = this.config.spec;
    const percent = (limited ?? exempt)?.lendablePercent ?? 0;
    return this.nominalSeats - Math.round((this.nominalSeats * percent) / 100);
  }

  /** Seats that it can have if others lend as much as it may borrow. */
  get upperSeats(): number {
    const percent = this.config.spec.limited?.borrowingLimitPercent;
    if (percent === undefined) return this.nominalSeats + this.#options.totalSeats;
    return this.nominalSeats + Math.round((this.nominalSeats * percent) / 100);
  }

  /** Its own seats, or more if it has borrowed some. */
  get currentSeats(): number {
    return Math.max(this.nominalSeats, this.usedSeats);
  }

  /** Takes seats at once if that is fair to those who wait. */
  tryStart(seats: number): boolean {
    if (this.isExempt || (this.queued === 0 && this.#hasRoom(seats))) {
      this.#start(seats);
      return true;
    }
    return false;
  }

  /** Waits for seats; resolves with why there are none, or undefined. */
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

  /** Gives seats back. */
  finish(seats: number): void {
    this.usedSeats -= seats;
    this.executing--;
    this.dispatch();
    this.#options.pool.released(this);
  }

  /** Starts as many of those who wait as there is room for. */
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
    // One that needs more seats than there are may run alone.
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

  /** What the least served of the queues in use has got: where one that was idle begins again. */
  #minServed(): number {
    const least = this.#leastServed();
    return least
      ? least.served
      : this.#queues.reduce((max, { served }) => Math.max(max, served), 0);
  }
}
