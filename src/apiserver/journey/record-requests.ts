import { resourceText, type StepObject } from "#/machinery/journey/step.ts";
import { isStatusError, type StatusError } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import { loopbackUser } from "../auth/base/loopback.ts";
import { type Exchange, type Filter, header } from "../model/exchange.ts";
import type { RequestInfo } from "../model/request-info.ts";
import type { ResourceName } from "../model/resource-name.ts";
import { type Commit, type PluginMark, Trail } from "../model/trail.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { Journal } from "./journal.ts";
import type { SegmentLog } from "./segment-log.ts";
import type { WriteRecord } from "./write-record.ts";

const recordedVerbs: ReadonlySet<string> = new Set([
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

/**
 * Limit of requests for which it is noted what each plugin changes (per second, and after a pause): with large objects
 * it costs half a millisecond.
 */
const detailsPerSecond = 4;
const detailsBurst = 20;
/** Limit of a header in a record (characters). */
const maxHeader = 200;

interface Finished {
  readonly exchange: Exchange;
  readonly trail: Trail;
  readonly error?: StatusError;
}

/** A commit, for others who want to know of it. */
export type OnCommit = (exchange: Exchange, commit: Commit, of: StepObject, atMs: number) => void;

interface RecorderOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly log: SegmentLog | undefined;
  readonly onCommit?: OnCommit;
}

/** Records the writes of the server: notes times on the way, and makes a record at the end. */
export class RequestRecorder {
  readonly #options: RecorderOptions;
  readonly #details: TokenBucket;
  #catalog: Catalog | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { clock } = options;
    this.#details = new TokenBucket({ qps: detailsPerSecond, burst: detailsBurst, clock });
  }

  /** Begins the record of a write by others; outside of authentication. */
  readonly begin: Filter = async (exchange, next) => {
    const { info, peer } = exchange;
    if (peer.user === loopbackUser) return next(exchange);
    if (!recordedVerbs.has(info.verb) || !this.#isRecorded(info)) return next(exchange);
    const trail = new Trail(this.#details.tryTake());
    exchange.trail = trail;
    try {
      const reply = await next(exchange);
      if (trail.commits.length > 0 && info.subresource !== "status") this.#add({ exchange, trail });
      return reply;
    } catch (error) {
      if (isStatusError(error) && isWorthNoting(error, exchange)) {
        this.#add({ exchange, trail, error });
      }
      throw error;
    }
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

  #isRecorded({ apiGroup, resource }: RequestInfo): boolean {
    const declaration = this.#catalog?.findResource(apiGroup, resource)?.declaration;
    return declaration !== undefined && !declaration.isUnrecorded && !declaration.verbs;
  }

  /** Makes the records at once: a request that is kept until later is a burden to the garbage collector. */
  #add(one: Finished): void {
    try {
      this.#record(one);
    } catch (error) {
      // The request is done: its record is no reason to refuse it.
      logger("journey").error(error, "failed to record a request");
    }
  }

  #record(one: Finished): void {
    const { clock, journal, log, onCommit } = this.#options;
    const startMs = clock.now() - clock.monotonicMs();
    const { commits } = one.trail;
    for (const [index, record] of recordsOf(one, startMs).entries()) {
      const line = { write: record };
      const text = JSON.stringify(line);
      journal.add(line, text);
      log?.append(text);
      const commit = one.error ? undefined : commits[index];
      if (commit) onCommit?.(one.exchange, commit, record.of, startMs + commit.durableMs);
    }
  }
}

/** Lost races and names in use are part of every controller's day; a rehearsal changes nothing. */
function isWorthNoting({ reason }: StatusError, { query }: Exchange): boolean {
  return reason !== "Conflict" && reason !== "AlreadyExists" && !query.has("dryRun");
}

function recordsOf({ exchange, trail, error }: Finished, startMs: number): WriteRecord[] {
  if (!error) return trail.commits.map((commit) => recordOf(exchange, trail, startMs, commit));
  const { info } = exchange;
  const name = info.name || trail.name;
  if (name === "") return [];
  const { apiGroup: group, resource, namespace } = info;
  const of: StepObject = {
    resource: resourceText({ group, name: resource }),
    ...(namespace === "" ? {} : { namespace }),
    name,
  };
  const { code = 500, reason = "", message = "" } = error.status;
  const refusal = { code, reason, message: message.slice(0, maxMessage) };
  return [{ ...recordOf(exchange, trail, startMs, undefined, of), error: refusal }];
}

/** Limit of the message of a refusal in a record (characters). */
const maxMessage = 1024;

function recordOf(
  exchange: Exchange,
  trail: Trail,
  startMs: number,
  commit: Commit | undefined,
  of = commit && committedObject(commit),
): WriteRecord {
  const { info, user, impersonator, receivedMs, annotations } = exchange;
  const micros = (ms: number) => (ms === 0 ? 0 : Math.max(1, Math.round((ms - receivedMs) * 1000)));
  const owner = commit?.verb === "create" ? ownerOf(commit) : undefined;
  return {
    of: of as StepObject,
    t: startMs + receivedMs,
    verb: verbOf(commit, info),
    ...optional("subresource", subresourceOf(info, commit)),
    ...optional("user", user?.name),
    ...(trail.isDetailed ? optional("groups", user?.groups) : {}),
    ...optional("impersonator", impersonator?.name),
    ...optional("authenticator", trail.authenticator || undefined),
    ...optional("reason", annotations.get("authorization.k8s.io/reason") || undefined),
    ...optional("agent", header(exchange, "user-agent")?.slice(0, maxHeader)),
    ...optional("command", header(exchange, "kubectl-command")?.slice(0, maxHeader)),
    ...optional("traceparent", header(exchange, "traceparent")?.slice(0, maxHeader)),
    ...optional("manager", exchange.query.get("fieldManager")?.slice(0, maxHeader)),
    at: [
      micros(trail.authenticatedMs),
      micros(trail.authorizedMs),
      micros(trail.decodedMs),
      micros(trail.mutatedMs),
      micros(trail.checkedMs),
      micros(trail.validatedMs),
      micros(commit?.fromMs ?? 0),
      micros(commit?.durableMs ?? 0),
      micros(commit?.seenMs ?? 0),
    ],
    ...(trail.queue
      ? {
          queue: [
            trail.queue.level,
            trail.queue.schema,
            micros(trail.queue.fromMs),
            micros(trail.queue.toMs),
          ] as const,
        }
      : {}),
    ...(trail.plugins.length > 0 ? { plugins: trail.plugins.map(pluginRecord) } : {}),
    ...(commit ? { revision: commit.stored.revision, bytes: commit.stored.sizeBytes } : {}),
    ...optional("owner", owner),
  };
}

/** A request about one resource may write others, and delete what it was sent to update. */
function verbOf(commit: Commit | undefined, { verb, subresource }: RequestInfo): string {
  if (!commit) return verb;
  if (commit.verb === "remove") return "delete";
  if (commit.verb === "create") return "create";
  return verb === "create" && subresource === "" ? "update" : verb;
}

function subresourceOf(info: RequestInfo, commit: Commit | undefined): string | undefined {
  const { subresource } = info;
  if (subresource === "") return undefined;
  return commit && !isAbout(info, commit.resource) ? undefined : subresource;
}

const isAbout = ({ apiGroup, resource }: RequestInfo, { group, name }: ResourceName) =>
  apiGroup === group && resource === name;

function committedObject({ resource, stored, metadata }: Commit): StepObject {
  const { namespace, name } = stored;
  const { uid } = metadata;
  return {
    resource: resourceText(resource),
    ...(namespace === "" ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  };
}

function ownerOf({ metadata: { ownerReferences } }: Commit): string | undefined {
  return ownerReferences?.find(({ controller }) => controller)?.uid;
}

const pluginRecord = ({ name, phase, ms, changed = [], failed = false }: PluginMark) =>
  [name, phase, Math.round(ms * 1000), changed, failed] as const;

function optional<K extends string, V>(name: K, value: V | undefined): { readonly [N in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in K]?: V });
}
