import { isStatusError, type StatusError } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { PreciseClock } from "#/std/time/precise-clock.ts";
import { loopbackUser } from "../auth/base/loopback.ts";
import type { Exchange, Filter, Handler, Reply } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";
import { type Commit, Trail } from "../model/trail.ts";
import type { Catalog } from "../registry/catalog.ts";
import { DetailBudget } from "./detail-budget.ts";
import { refusedName } from "./encode-record.ts";
import type { Journal } from "./journal.ts";

const recordedVerbs: ReadonlySet<string> = new Set([
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

/** A commit, for others who want to know of it. */
export type OnCommit = (exchange: Exchange, commit: Commit, about: CommitAbout) => void;

interface CommitAbout {
  /** When the store had it (ms since 1970). */
  readonly atMs: number;
  /** hashOfName() of the object. */
  readonly nameHash: number;
}

interface RecorderOptions {
  readonly clock: Clock;
  readonly journal: Pick<Journal, "addWrite">;
  readonly onCommit?: OnCommit;
}

/** Records the writes of the server: notes times on the way, and adds a record to the journal at the end. */
export class RequestRecorder {
  readonly #options: RecorderOptions;
  readonly #details: DetailBudget;
  readonly #precise: PreciseClock;
  #catalog: Catalog | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { clock } = options;
    this.#details = new DetailBudget(clock);
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
    const { trail } = exchange;
    if (trail) trail.authenticatedMicros = trail.at(this.#options.clock.monotonicMs());
    return next(exchange);
  };

  /** Notes that the request is authorized. */
  readonly authorized: Filter = (exchange, next) => {
    const { trail } = exchange;
    if (trail) trail.authorizedMicros = trail.at(this.#options.clock.monotonicMs());
    return next(exchange);
  };

  /** Records writes from now on, of the resources of a catalog. */
  follow(catalog: Catalog): void {
    this.#catalog = catalog;
  }

  async #run(exchange: Exchange, next: Handler): Promise<Reply> {
    const isStatus = exchange.info.subresource === "status";
    const trail = new Trail(exchange.receivedMs, !isStatus && this.#details.tryTake());
    exchange.trail = trail;
    try {
      const reply = await next(exchange);
      if (!isStatus && trail.commit) this.#add(exchange, trail, undefined);
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
      const arrivedMs = this.#precise.at(exchange.receivedMs);
      if (error) {
        this.#addRefusal(exchange, trail, arrivedMs, error);
        return;
      }
      if (trail.commit) this.#addCommit(exchange, trail, arrivedMs, trail.commit);
      for (const commit of trail.others ?? []) this.#addCommit(exchange, trail, arrivedMs, commit);
    } catch (failure) {
      // The request is done: its record is no reason to refuse it.
      logger("journey").error(failure, "failed to record a request");
    }
  }

  #addCommit(exchange: Exchange, trail: Trail, arrivedMs: number, commit: Commit): void {
    const { journal, onCommit } = this.#options;
    const nameHash = journal.addWrite({ exchange, trail, arrivedMs, commit, error: undefined });
    onCommit?.(exchange, commit, { atMs: arrivedMs + commit.durableMicros / 1000, nameHash });
  }

  #addRefusal(exchange: Exchange, trail: Trail, arrivedMs: number, error: StatusError): void {
    if (refusedName(exchange.info, trail) === "") return;
    this.#options.journal.addWrite({ exchange, trail, arrivedMs, commit: undefined, error });
  }
}

/** Lost races and names in use are part of every controller's day; a rehearsal changes nothing. */
function isWorthNoting({ reason }: StatusError, { query }: Exchange): boolean {
  return reason !== "Conflict" && reason !== "AlreadyExists" && !query.has("dryRun");
}
