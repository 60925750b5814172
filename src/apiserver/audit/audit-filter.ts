import type { Event, Stage } from "#/api/audit/v1.ts";
import type { Status } from "#/api/meta/v1.ts";
import { internalError, StatusError } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import { bodyChunks, type Exchange, type Filter, header, type Reply } from "../model/exchange.ts";
import { isLongRunning, whenSent } from "../model/long-running.ts";
import { atStage, newAuditEvent, wireUser } from "./audit-event.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import type { AuditChoice, AuditPolicy } from "./audit-policy.ts";
import type { AuditSink } from "./audit-sink.ts";
import { recordedBody, recordedReply, restBefore, withoutManagedFields } from "./recorded-body.ts";

interface AuditFilterOptions {
  readonly policy: AuditPolicy;
  readonly sinks: readonly AuditSink[];
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
}

/** Records requests and their responses. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/audit.go. */
export function auditRequests(options: AuditFilterOptions): Filter {
  const { policy } = options;
  return async function auditFilter(exchange, next) {
    const choice = policy.choose(exchange.user, exchange.info);
    options.metrics.level(choice.level);
    if (choice.level === "None") return next(exchange);
    const record = new AuditRecord(exchange, choice, options);
    await record.stage("RequestReceived");
    let reply: Reply;
    try {
      reply = await next(exchange);
    } catch (error) {
      record.answered(statusOf(error));
      await record.stage("ResponseComplete");
      throw error;
    }
    await record.replied(reply);
    if (!isLongRunning(exchange.info)) {
      await record.stage("ResponseComplete");
      return reply;
    }
    await record.stage("ResponseStarted");
    return whenSent(reply, () => void record.stage("ResponseComplete"));
  };
}

/**
 * Records requests that failed authentication.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/authn_audit.go.
 */
export function auditFailedAuthentication(options: AuditFilterOptions): Filter {
  const { policy } = options;
  return async function auditFailedAuthenticationFilter(exchange, next) {
    try {
      return await next(exchange);
    } catch (error) {
      if (exchange.user || !(error instanceof StatusError) || error.code !== 401) throw error;
      const choice = policy.choose(undefined, exchange.info);
      if (choice.level !== "None") {
        const record = new AuditRecord(exchange, choice, options);
        record.answered({ ...error.status, message: attemptedMessage(exchange) });
        await record.stage("ResponseStarted");
      }
      throw error;
    }
  };
}

/** The authentication methods that a request tried; credentials are not recorded. */
function attemptedMessage(exchange: Exchange): string {
  const authorization = header(exchange, "authorization")?.trim() ?? "";
  const methods = [
    ...(/^basic +\S/i.test(authorization) ? ["basic"] : []),
    ...(/^bearer /i.test(authorization) ? ["bearer"] : []),
    ...(exchange.query.get("access_token")?.trim() ? ["access_token"] : []),
    ...(exchange.peer.certificates.length > 0 ? ["x509"] : []),
  ];
  return methods.length > 0
    ? `Authentication failed, attempted: ${methods.join(", ")}`
    : "Authentication failed, no credentials provided";
}

/** One request, recorded stage by stage. */
class AuditRecord {
  readonly #exchange: Exchange;
  readonly #choice: AuditChoice;
  readonly #options: AuditFilterOptions;
  readonly #event: Event;
  /** The request's body, until it is read for the first stage that records it. */
  #requestBody: Uint8Array | undefined;
  /** Size of the recorded bodies (bytes). */
  #bodyBytes = 0;

  constructor(exchange: Exchange, choice: AuditChoice, options: AuditFilterOptions) {
    const { clock } = options;
    const receivedMs = clock.now() - (clock.monotonicMs() - exchange.receivedMs);
    this.#exchange = exchange;
    this.#choice = choice;
    this.#options = options;
    this.#event = newAuditEvent(exchange, choice.level, receivedMs);
    if (choice.level !== "Metadata") this.#keepRequestBody();
  }

  /** Sends the event to all sinks; waits for those that block. */
  async stage(stage: Stage): Promise<void> {
    if (this.#choice.omitStages.has(stage)) return;
    const { impersonator, user } = this.#exchange;
    if (impersonator) this.#event.impersonatedUser = wireUser(user);
    const { clock, sinks, metrics } = this.#options;
    await this.#addRequestObject();
    const event = atStage(this.#event, stage, clock.now(), this.#exchange);
    metrics.events.inc();
    try {
      for (const sink of sinks) {
        const kept = sink.record(event, this.#bodyBytes);
        if (kept) await kept;
      }
    } catch {
      if (stage !== "RequestReceived") return;
      metrics.rejected.inc();
      throw internalError(new Error("failed to store audit event"));
    }
  }

  answered(status: Status): void {
    const { kind: _, apiVersion: __, ...fields } = status;
    this.#event.responseStatus = fields;
    if (this.#choice.level === "RequestResponse") {
      this.#event.responseObject = { kind: "Status", apiVersion: "v1", ...status };
    }
  }

  async replied({ status, headers, body }: Reply): Promise<void> {
    this.#event.responseStatus = { metadata: {}, code: status };
    const mayHoldStatus = status >= 400 || this.#choice.level === "RequestResponse";
    if (!mayHoldStatus || (body.type !== "bytes" && body.type !== "list")) return;
    const type = String(headers["content-type"] ?? "");
    const object = (await recordedReply(body, type)) as Status | undefined;
    if (object?.kind === "Status") {
      const { kind: _, apiVersion: __, ...fields } = object;
      this.#event.responseStatus = { ...fields, code: status };
    }
    if (this.#choice.level === "RequestResponse" && object !== undefined) {
      this.#event.responseObject = this.#shown(object);
      for (const chunk of bodyChunks(body)) this.#bodyBytes += chunk.length;
    }
  }

  #keepRequestBody(): void {
    const exchange = this.#exchange;
    const read = exchange.readBody.bind(exchange);
    exchange.readBody = async (limitBytes) => {
      this.#requestBody = await read(limitBytes);
      return this.#requestBody;
    };
  }

  /** Reads the request's body after the verb: a YAML text is then parsed already, in another thread. */
  async #addRequestObject(): Promise<void> {
    const bytes = this.#requestBody;
    if (bytes === undefined) return;
    this.#requestBody = undefined;
    const type = header(this.#exchange, "content-type") ?? "application/json";
    await restBefore(bytes);
    const object = recordedBody(bytes, type);
    if (object === undefined) return;
    this.#event.requestObject = this.#shown(object);
    this.#bodyBytes += bytes.length;
  }

  #shown(object: unknown): unknown {
    return this.#choice.omitManagedFields ? withoutManagedFields(object) : object;
  }
}

/** The response status of an error. */
function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  return internalError(error instanceof Error ? error : new Error(String(error))).status;
}
