import { timeout } from "#/machinery/meta/status-error.ts";
import { Turnstile } from "#/std/async/turnstile.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Steps } from "#/std/base/steps.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { systemClock } from "#/std/time/clock.ts";
import { enterWork, type Work } from "#/std/time/turn-watch.ts";
import { describeRequest } from "./describe-request.ts";
import type { Exchange } from "./exchange.ts";

/** Limit of a body or stored object (bytes) that takes part in the turns of large ones: it costs some milliseconds. */
const sharedTurnBytes = 32 * 1024;
/** Limit of a body or stored object (bytes) that is served in one piece: a larger one rests between its steps. */
const onePieceBytes = 64 * 1024;
/** Limit of steps that are done in one turn (ms): many are very short, such as one for each field manager. */
const joinedStepsMs = 10;

/**
 * Steps of a small request that are done before the clock is looked at (count): most requests have fewer, cost nothing
 * for it, and are served in the same order whatever the time.
 */
const freeSteps = 16;

/** Large pieces of all requests: the process has one event loop. */
const turnstile = new Turnstile();

/**
 * The pace of one request that writes. A large one does one step in a turn of the event loop, and only one large step
 * of all requests is done in a turn; a small one never waits. A request whose client has gone, or whose time is over,
 * ends at its next rest.
 */
export class Pace {
  readonly #work: Work;
  readonly #owner: string;
  readonly #exchange: Pick<Exchange, "signal" | "isTimedOut">;
  #isLarge = false;

  /** The owner is the user: users with large requests take turns. */
  constructor(work: Work, owner: string, exchange: Pick<Exchange, "signal" | "isTimedOut">) {
    this.#work = work;
    this.#owner = owner;
    this.#exchange = exchange;
  }

  /** Whether rest() waits. */
  get isLarge(): boolean {
    return this.#isLarge;
  }

  /** Counts the bytes of a body or of a stored object. Waits for the turn of a large one. */
  async begin(bytes: number, step: string): Promise<void> {
    if (bytes > onePieceBytes) this.#isLarge = true;
    if (isLarge(bytes)) await this.#pass(step);
  }

  /** Between two steps: waits for the next turn if the request is large. */
  async rest(step: string): Promise<void> {
    if (this.#isLarge) await this.#pass(step);
  }

  async #pass(step: string): Promise<void> {
    await turnstile.pass(this.#owner);
    const { signal, isTimedOut } = this.#exchange;
    if (isTimedOut) throw timeout("request did not complete within the allotted timeout", 0);
    if (signal.aborted) throw timeout("the client has gone", 0);
    enterWork(this.#work, step);
  }
}

/** The pace of a request, made at its first use: small requests have none. */
export function paceOf(exchange: Exchange): Pace {
  const work = { workKind: "request", describeWork: () => describeRequest(exchange) };
  exchange.pace ??= new Pace(work, exchange.user?.name ?? "", exchange);
  return exchange.pace;
}

/** Whether a body or stored object takes part in the turns of large ones. */
export const isLarge = (bytes: number): boolean => bytes > sharedTurnBytes;

/**
 * Runs a computation in turns. That of a small request is done at once, unless it takes long, as that of an expression
 * may.
 */
export function inPace<T>(pace: Pace | undefined, step: string, steps: Steps<T>): MaybePromise<T> {
  if (pace?.isLarge) return runResting(pace, step, steps);
  let budget: TurnBudget | undefined;
  for (let count = 1; ; count++) {
    const { done, value } = steps.next();
    if (done) return value;
    if (count === freeSteps) budget = new TurnBudget(systemClock, joinedStepsMs);
    if (budget?.isSpent) return runLater(budget, steps);
  }
}

async function runLater<T>(budget: TurnBudget, steps: Steps<T>): Promise<T> {
  await budget.yield();
  return await budget.run(steps);
}

async function runResting<T>(pace: Pace, step: string, steps: Steps<T>): Promise<T> {
  let startMs = systemClock.monotonicMs();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (systemClock.monotonicMs() - startMs < joinedStepsMs) continue;
    await pace.rest(step);
    startMs = systemClock.monotonicMs();
  }
}
