import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { drawUuid, type Random, systemRandom } from "#/std/base/random.ts";
import type { Logger } from "#/std/log/log.ts";
import { type AwsKeys, signedHeaders } from "#/std/net/aws-signature.ts";
import type { Clock } from "#/std/time/clock.ts";
import { AwsError, type AwsErrorFacts } from "./aws-error.ts";
import type { Endpoint } from "./endpoint.ts";
import type { AwsService, Operation } from "./operation.ts";
import { encodeQuery } from "./query.ts";
import type { RequestDelay } from "./request-delay.ts";
import { readFailure, readResult } from "./response.ts";
import { isClockSkew, isRetryable, maxAttempts, RetryTokens, retryDelayMs } from "./retry.ts";
import { type HttpResponse, type Send, SendError } from "./send.ts";
import type { Shape, Value } from "./shape.ts";

/** Calls AWS. A refused call rejects with AwsError, an aborted one with the signal's reason. */
export interface AwsClient {
  call<P extends object, S extends Shape>(
    operation: Operation<P, S>,
    params: P,
    signal: AbortSignal,
  ): Promise<Value<S>>;
}

/** Counts of calls that failed in the end. */
export interface CallMetrics {
  recordStatus(serviceId: string, action: string, status: number): void;
  recordThrottled(action: string): void;
}

export interface AwsClientOptions {
  /** Undefined for calls that need no signature. */
  readonly keys: ((signal: AbortSignal) => Promise<AwsKeys>) | undefined;
  endpoint(service: AwsService): Endpoint;
  readonly send: Send;
  readonly clock: Clock;
  readonly random?: Random;
  readonly log: Logger;
  /** Shared by all clients of a region; undefined for calls that are not delayed. */
  readonly delay?: RequestDelay;
  readonly metrics?: CallMetrics;
  /** Added to each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** State of the calls to one service. */
interface ServiceState {
  readonly tokens: RetryTokens;
  /** How far (ms) the service's clock is ahead of ours. */
  skewMs: number;
}

/** One call on its way. */
interface Call {
  readonly operation: Operation<object, Shape>;
  readonly body: string;
  readonly invocationId: string;
  readonly state: ServiceState;
  readonly signal: AbortSignal;
}

type Outcome = { readonly reply: HttpResponse } | Failure;

interface Failure {
  readonly failure: AwsErrorFacts;
  readonly isTimeout: boolean;
}

export function createAwsClient(options: AwsClientOptions): AwsClient {
  return new QueryClient(options);
}

class QueryClient implements AwsClient {
  readonly #options: AwsClientOptions;
  readonly #random: Random;
  readonly #states = new Map<string, ServiceState>();

  constructor(options: AwsClientOptions) {
    this.#options = options;
    this.#random = options.random ?? systemRandom;
  }

  async call<P extends object, S extends Shape>(
    operation: Operation<P, S>,
    params: P,
    signal: AbortSignal,
  ): Promise<Value<S>> {
    signal.throwIfAborted();
    await this.#delay(operation.service.id, operation.action, signal);
    const outcome = await this.#attempt({
      operation,
      body: encodeQuery(operation.service, operation.action, params),
      invocationId: drawUuid(this.#random),
      state: this.#stateOf(operation.service),
      signal,
    });
    if ("reply" in outcome) return readResult(operation, outcome.reply);
    throw this.#report(new AwsError(outcome.failure));
  }

  /** Waits while the region is throttled. */
  async #delay(serviceId: string, action: string, signal: AbortSignal): Promise<void> {
    const { delay, clock, log } = this.#options;
    const delayMs = delay?.delayMs(clock.now()) ?? 0;
    if (delayMs === 0) return;
    log.warning("insert delay before AWS request to avoid RequestLimitExceeded", {
      request: `${serviceId}::${action}`,
      delayMs,
    });
    await clock.sleep(delayMs, signal);
  }

  /** Sends until a response, a final refusal or the limit of attempts. */
  async #attempt(call: Call): Promise<Outcome> {
    const { tokens } = call.state;
    let taken = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#sendOnce(call, attempt);
      if ("reply" in outcome) {
        tokens.addSuccess(taken);
        return outcome;
      }
      const { failure, isTimeout } = outcome;
      if (!isRetryable(failure)) return outcome;
      if (attempt >= maxAttempts) {
        return { failure: { ...failure, exhaustedAttempts: attempt }, isTimeout };
      }
      const token = tokens.take(isTimeout);
      if (token === undefined) return { failure: withoutTokens(failure, tokens), isTimeout };
      taken = token;
      await this.#options.clock.sleep(retryDelayMs(attempt, this.#random), call.signal);
    }
  }

  async #sendOnce(call: Call, attempt: number): Promise<Outcome> {
    const { clock, send } = this.#options;
    const { operation, state, signal } = call;
    try {
      const request = await this.#request(call, attempt);
      const reply = await send(request, signal);
      if (reply.status >= 200 && reply.status < 300) return { reply };
      const measuredMs = skewOf(reply, clock.now());
      const failure = readFailure(operation, reply);
      const isSkewed = isClockSkew(failure.code, Math.abs(measuredMs));
      if (isSkewed) state.skewMs = measuredMs;
      return { failure: { ...failure, isClockSkew: isSkewed }, isTimeout: false };
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      const detail = `request send failed, ${error.message}`;
      const failure = { ...namesOf(operation), statusCode: 0, requestId: "", code: "" };
      return { failure: { ...failure, detail, isModelled: false }, isTimeout: error.isTimeout };
    }
  }

  async #request({ operation, body, invocationId, state, signal }: Call, attempt: number) {
    const { keys, endpoint, clock, headers } = this.#options;
    const { url, signingName, signingRegion } = endpoint(operation.service);
    const request = {
      method: "POST",
      url,
      headers: {
        ...headers,
        "amz-sdk-invocation-id": invocationId,
        "amz-sdk-request": `attempt=${attempt}; max=${maxAttempts}`,
        "content-length": String(Buffer.byteLength(body)),
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": userAgent,
      },
      body,
    };
    if (!keys) return request;
    const scope = {
      now: clock.now() + state.skewMs,
      region: signingRegion,
      service: signingName,
    };
    return { ...request, headers: signedHeaders(request, await keys(signal), scope) };
  }

  #report(error: AwsError): AwsError {
    const { serviceId, action, code } = error.facts;
    const { metrics, delay, log } = this.#options;
    if (error.statusCode >= 400) metrics?.recordStatus(serviceId, action, error.statusCode);
    if (code === "RequestLimitExceeded" || error.detail.includes("RequestLimitExceeded")) {
      delay?.reportThrottled();
      metrics?.recordThrottled(action);
      log.warning("got RequestLimitExceeded error on AWS request", {
        request: `${serviceId}::${action}`,
      });
    }
    return error;
  }

  #stateOf({ id }: AwsService): ServiceState {
    const state = this.#states.get(id) ?? { tokens: new RetryTokens(), skewMs: 0 };
    this.#states.set(id, state);
    return state;
  }
}

/** Contains the product, as AWS' log of calls shows it. */
const userAgent = `k8ts kubernetes/${kubernetesVersion}`;

const namesOf = ({ service, action }: Operation<object, Shape>) => ({
  serviceId: service.id,
  action,
});

/** How far (ms) the service's clock is ahead, in seconds' precision; 0 if it does not say. */
function skewOf({ headers }: HttpResponse, now: number): number {
  const date = Date.parse(headers.date ?? "");
  return Number.isNaN(date) ? 0 : date - now;
}

function withoutTokens(failure: AwsErrorFacts, tokens: RetryTokens): AwsErrorFacts {
  const quota = `retry quota exceeded, ${tokens.left} available, 5 requested`;
  return { ...failure, detail: `${failure.detail}\nfailed to get rate limit token, ${quota}` };
}
