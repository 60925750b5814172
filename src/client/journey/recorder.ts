import { steps as stepsResource } from "#/machinery/journey/handles.ts";
import type { Facts, Layer, Outcome, StepObject } from "#/machinery/journey/step.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { formatMicroTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock, type Timer } from "#/std/time/clock.ts";
import { PreciseClock } from "#/std/time/precise-clock.ts";
import type { Client } from "../client.ts";
import { resourcePath } from "../resource-path.ts";

const log = logger("journey");

/** How long steps wait to be sent together (ms). */
const batchMs = 250;
/** Limit of the steps of a report (count). */
const batchSize = 100;
/** Limit of steps that wait (count): while the API can't be reached, the oldest are dropped. */
const maxWaiting = 10_000;
/** Delay until a report that failed is sent again (ms). */
const retryMs = 2000;
/** The same after the server has refused a report (ms). */
const refusedMs = 60_000;
/** Limit of the time of a report (ms), and of the last one, which delays the end of the program. */
const reportMs = 10_000;
const lastReportMs = 500;
/** Limit of the facts of a step (bytes of JSON), as the server has it. */
const maxFactsBytes = 2048;

/** A step as its component notes it: times are milliseconds since 1970, of the recorder's now(). */
export interface StepReport {
  readonly of: StepObject;
  readonly layer: Layer;
  readonly name: string;
  readonly fromMs: number;
  /** Absent while it lasts. */
  readonly toMs?: number | undefined;
  /** Default "ok". */
  readonly outcome?: Outcome;
  readonly attempt?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly revision?: string | undefined;
  readonly facts?: Facts;
}

/** Where a component notes what it does. */
export interface StepSink {
  /** Whether steps are of use; otherwise none need be made. */
  readonly isOn: boolean;
  /** The time for steps (ms since 1970). */
  now(): number;
  add(step: StepReport): void;
}

/** For components that report nothing. */
export const noSteps: StepSink = { isOn: false, now: () => 0, add: () => undefined };

/**
 * Sends steps to the API server, in batches. A server that records no journeys is asked once: then the recorder is off.
 */
export class StepRecorder implements StepSink, AsyncDisposable {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #precise: PreciseClock;
  #waiting: StepReport[] = [];
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  readonly #stop = new AbortController();
  isOn = true;

  constructor(client: Client, clock: Clock = systemClock) {
    this.#client = client;
    this.#clock = clock;
    this.#precise = new PreciseClock(clock);
  }

  now(): number {
    return this.#precise.now();
  }

  add(step: StepReport): void {
    if (!this.isOn) return;
    this.#waiting.push(step);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    if (this.#waiting.length >= batchSize) this.#send();
    else this.#sendLater(batchMs);
  }

  /** Sends what is left, once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#send();
    this.isOn = false;
    this.#timer?.cancel();
    using _limit = this.#clock.setTimer(lastReportMs, () => this.#stop.abort());
    await this.#sending;
  }

  #sendLater(ms: number): void {
    const send = () => {
      this.#timer = undefined;
      this.#send();
    };
    this.#timer ??= this.#clock.setTimer(ms, send, { keepAlive: false });
  }

  #send(): void {
    if (this.#sending || this.#waiting.length === 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending = this.#sendBatches().finally(() => {
      this.#sending = undefined;
      if (this.isOn && this.#waiting.length > 0) this.#sendLater(batchMs);
    });
  }

  /** Sends what waits now; what comes meanwhile waits for its own batch, unless that is full. */
  async #sendBatches(): Promise<void> {
    for (let left = this.#waiting.length; left > 0; left = this.#fullBatches()) {
      const batch = this.#waiting.slice(0, batchSize);
      try {
        await this.#report(batch);
      } catch (error) {
        return this.#failed(error, batch);
      }
      this.#drop(batch);
    }
  }

  #fullBatches(): number {
    return this.#waiting.length >= batchSize ? this.#waiting.length : 0;
  }

  #failed(error: unknown, batch: readonly StepReport[]): void {
    const code = isStatusError(error) ? error.code : 0;
    if (code === 404) {
      this.isOn = false;
      this.#waiting = [];
      log.v(2, "stopped reporting steps", { reason: String(error) });
      return;
    }
    // The server will not accept these; but a role may still be granted.
    const isRefused = code >= 400 && code < 500 && code !== 401 && code !== 429;
    if (isRefused) this.#drop(batch);
    log.v(isRefused ? 0 : 2, "failed to report steps", { reason: String(error) });
    if (this.isOn) this.#sendLater(code === 403 ? refusedMs : retryMs);
  }

  #drop(batch: readonly StepReport[]): void {
    // Steps that the limit has dropped meanwhile were the oldest.
    const gone = new Set(batch);
    this.#waiting = this.#waiting.filter((step) => !gone.has(step));
  }

  async #report(batch: readonly StepReport[]): Promise<void> {
    await this.#client.request({
      method: "POST",
      path: resourcePath(stepsResource),
      body: {
        kind: stepsResource.kind,
        apiVersion: "journey.k8ts.dev/v1",
        items: batch.map(stepOf),
      },
      timeoutMs: reportMs,
      signal: this.#stop.signal,
    });
  }
}

function stepOf({ of, fromMs, toMs, outcome = "ok", facts, ...rest }: StepReport): object {
  return {
    of,
    ...rest,
    from: formatMicroTime(fromMs),
    ...(toMs === undefined ? {} : { to: formatMicroTime(toMs) }),
    outcome,
    ...(facts === undefined ? {} : { facts: fitting(facts) }),
  };
}

/** The facts that fit into a step: the longest ones are left out. */
function fitting(facts: Facts): Facts {
  if (JSON.stringify(facts).length <= maxFactsBytes) return facts;
  const sized = Object.entries(facts)
    .map((entry) => ({ entry, size: JSON.stringify(entry).length }))
    .sort((a, b) => a.size - b.size);
  let sum = 2;
  const kept = sized.filter(({ size }) => {
    sum += size + 1;
    return sum <= maxFactsBytes;
  });
  return Object.fromEntries(kept.map(({ entry }) => entry));
}
