import { isNotFound, StatusError } from "#/machinery/meta/status-error.ts";
import { systemRandom } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

const log = logger("events");
/**
 * Limit of queued events: with more, the server is unreachable, and further events are dropped.
 * Upstream's limit.
 */
const maxWaiting = 1000;
const maxTries = 12;
const retryMs = 10_000;

interface EventWriterOptions {
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The requests that write an event. */
interface EventWrite {
  /** Patches the existing event; undefined if there is none yet. */
  readonly patch?: (() => Promise<void>) | undefined;
  readonly create: () => Promise<void>;
}

/** Writes events one by one in the background. */
export class EventWriter {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: (() => EventWrite | undefined)[] = [];
  #running: Promise<void> | undefined;

  constructor({ clock = systemClock, signal }: EventWriterOptions) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Queues an event; prepare() decides what to write when it is the event's turn. */
  add(prepare: () => EventWrite | undefined): void {
    if (this.#waiting.length >= maxWaiting || this.#signal?.aborted) return;
    this.#waiting.push(prepare);
    this.#running ??= this.#run();
  }

  /** Resolves when the queue is empty. */
  async flushed(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // The caller of add() continues first.
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const write = next();
      if (write) await this.#write(write);
    }
    this.#running = undefined;
  }

  async #write(write: EventWrite): Promise<void> {
    for (let tries = 1; tries <= maxTries; tries++) {
      try {
        await attempt(write);
        return;
      } catch (error) {
        if (this.#signal?.aborted) return;
        if (error instanceof StatusError) return refused(error);
        log.error(error, "Unable to write event (may retry after sleeping)");
      }
      const share = tries === 1 ? systemRandom() : 1;
      await this.#clock.sleep(retryMs * share, this.#signal).catch(() => undefined);
    }
    log.error(undefined, "Unable to write event (retry limit exceeded!)");
  }
}

/** Creates the event if the one to patch has expired. */
async function attempt({ patch, create }: EventWrite): Promise<void> {
  if (!patch) return create();
  try {
    await patch();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await create();
  }
}

function refused(error: StatusError): void {
  const { reason, status } = error;
  const terminating = status.details?.causes?.some(
    (cause) => cause.reason === "NamespaceTerminating",
  );
  const level = reason === "AlreadyExists" || terminating ? 5 : 0;
  log.v(level, "Server rejected event (will not retry!)", { err: error.message });
}
