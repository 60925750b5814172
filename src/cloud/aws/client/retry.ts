/** The standard retry mode of AWS' SDK. */
import type { Random } from "#/std/base/random.ts";
import type { AwsErrorFacts } from "./aws-error.ts";

/** Limit of attempts of a call, the first included. */
export const maxAttempts = 3;

/** Limit of the delay between attempts (ms). */
const maxBackoffMs = 20_000;

const retryableStatus = new Set([500, 502, 503, 504]);

const retryableCodes = new Set(["RequestTimeout", "RequestTimeoutException"]);

const throttleCodes = new Set([
  "Throttling",
  "ThrottlingException",
  "ThrottledException",
  "RequestThrottledException",
  "TooManyRequestsException",
  "ProvisionedThroughputExceededException",
  "TransactionInProgressException",
  "RequestLimitExceeded",
  "BandwidthLimitExceeded",
  "LimitExceededException",
  "RequestThrottled",
  "SlowDown",
  "PriorRequestNotComplete",
  "EC2ThrottledException",
]);

/** Codes that mean a wrong clock, and those that mean it only if the clock is known to be wrong. */
const skewCodes = new Set(["RequestExpired", "RequestInTheFuture", "RequestTimeTooSkewed"]);
const possibleSkewCodes = new Set([
  "InvalidSignatureException",
  "SignatureDoesNotMatch",
  "AuthFailure",
]);
const skewThresholdMs = 4 * 60_000;

/** Whether the error comes from a wrong clock; `skewMs` is how far the service's is ahead. */
export function isClockSkew(code: string, skewMs: number): boolean {
  return skewCodes.has(code) || (possibleSkewCodes.has(code) && skewMs > skewThresholdMs);
}

/** Whether the same call may succeed later. */
export function isRetryable({ statusCode, code, isClockSkew }: AwsErrorFacts): boolean {
  if (isClockSkew || (statusCode === 0 && code === "")) return true;
  return retryableStatus.has(statusCode) || retryableCodes.has(code) || throttleCodes.has(code);
}

/** The delay (ms) after this attempt, counted from 1. */
export function retryDelayMs(attempt: number, random: Random): number {
  const isPastLimit = attempt > Math.floor(Math.log2(maxBackoffMs / 1000));
  return isPastLimit ? maxBackoffMs : random() * 2 ** attempt * 1000;
}

/** Limit of retries over all calls of a service: tokens that retries cost and successes bring back. */
const capacity = 500;
const retryCost = 5;
const timeoutCost = 10;
const successGain = 1;

export class RetryTokens {
  #tokens = capacity;

  /** False if there are too few left. */
  take(isTimeout: boolean): number | undefined {
    const cost = isTimeout ? timeoutCost : retryCost;
    if (this.#tokens < cost) return undefined;
    this.#tokens -= cost;
    return cost;
  }

  get left(): number {
    return this.#tokens;
  }

  /** After a successful attempt; `taken` is what its retry cost. */
  addSuccess(taken: number): void {
    this.#tokens = Math.min(capacity, this.#tokens + taken + successGain);
  }
}
