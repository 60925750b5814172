import { isStatusError, type StatusError } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { PreciseClock } from "#/std/time/precise-clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import { loopbackUser } from "../auth/base/loopback.ts";
import type { Exchange, Filter, Handler, Reply } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";
import { type Commit, Trail } from "../model/trail.ts";
import type { Catalog } from "../registry/catalog.ts";
import { refusedName } from "./encode-record.ts";
import type { Journal } from "./journal.ts";

const recordedVerbs: ReadonlySet<string> = new Set([
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

/**
 * Limit of requests for which it is noted what each plugin changes (per second, and after a pause): it costs as much as
 * ten records.
 */
const detailsPerSecond = 4;
const detailsBurst = 10;

/** A commit, for others who want to know of it. */
export type OnCommit = (exchange: Exchange, commit: Commit, atMs: number) => void;

interface RecorderOptions {
  readonly clock: Clock;
  readonly journal: Pick<Journal, "addWrite">;
  readonly onCommit?: OnCommit;
}

/** Records the writes of the server: notes times on the way, and adds a record to the journal at the end. */
export class RequestRecorder {
  readonly #options: RecorderOptions;
  readonly #details: TokenBucket;
  readonly #precise: PreciseClock;
  #catalog: Catalog | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { clock } = options;
    this.#details = new TokenBucket({ qps: detailsPerSecond, burst: detailsBurst, clock });
    this.#precise = new PreciseClock(clock);
  }

  /** Begins the record of a write by others; outside of authentication. */
  readonly begin: Filter = (exchange, next) => {
    const { info, peer } = exchange;
    if (!recordedVerbs.has(info.verb) || peer.user === loopbackUser) return next(exchange);
    return this.#isRecorded(info) ? this.#run(exchange, next) : next(exchange);
  };

  /** Notes that the request is authenticated. */
  readonly authenticated: Filter = (exchange, next) => {
    if (exchange.trail) exchange.trail.authenticatedMs = this.#options.clock.monotonicMs();
    return next(exchange);
  };

  /** Notes that the request is authorized. */
  readonly authorized: Filter = (exchange, next) => {
    if (exchange.trail) exchange.trail.authorizedMs = this.#options.clock.monotonicMs();
    return next(exchange);
  };

  /** Records writes from now on, of the resources of a catalog. */
  follow(catalog: Catalog): void {
    this.#catalog = catalog;
  }

  async #run(exchange: Exchange, next: Handler): Promise<Reply> {
    const isStatus = exchange.info.subresource === "status";
    const trail = new Trail(!isStatus && this.#details.tryTake());
    exchange.trail = trail;
    try {
      const reply = await next(exchange);
      if (!isStatus && trail.commits.length > 0) this.#add(exchange, trail, undefined);
      return reply;
    } catch (error) {
      if (isStatusError(error) && isWorthNoting(error, exchange)) this.#add(exchange, trail, error);
      throw error;
    }
  }

  #isRecorded({ apiGroup, resource }: RequestInfo): boolean {
    const declaration = this.#catalog?.findResource(apiGroup, resource)?.declaration;
    return declaration !== undefined && !declaration.isUnrecorded && !declaration.verbs;
  }

  #add(exchange: Exchange, trail: Trail, error: StatusError | undefined): void {
    try {
      const offsetMs = this.#precise.at(0);
      if (error) this.#addRefusal(exchange, trail, offsetMs, error);
      else for (const commit of trail.commits) this.#addCommit(exchange, trail, offsetMs, commit);
    } catch (failure) {
      // The request is done: its record is no reason to refuse it.
      logger("journey").error(failure, "failed to record a request");
    }
  }

  #addCommit(exchange: Exchange, trail: Trail, offsetMs: number, commit: Commit): void {
    const { journal, onCommit } = this.#options;
    journal.addWrite({ exchange, trail, offsetMs, commit, error: undefined });
    onCommit?.(exchange, commit, offsetMs + commit.durableMs);
  }

  #addRefusal(exchange: Exchange, trail: Trail, offsetMs: number, error: StatusError): void {
    if (refusedName(exchange.info, trail) === "") return;
    this.#options.journal.addWrite({ exchange, trail, offsetMs, commit: undefined, error });
  }
}

/** Lost races and names in use are part of every controller's day; a rehearsal changes nothing. */
function isWorthNoting({ reason }: StatusError, { query }: Exchange): boolean {
  return reason !== "Conflict" && reason !== "AlreadyExists" && !query.has("dryRun");
}
