import { isConnectionError } from "#/client/transport/connection-error.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";

const maxTries = 4;
const waitMs = exponentialBackoff({ baseMs: 10, maxMs: 1_000, factor: 5, jitter: 0.1 });

/**
 * Retries a call a few times if the API server can't be reached or has an internal error.
 *
 * Upstream: pkg/scheduler/util/utils.go.
 */
export async function retryTransient<T>(clock: Clock, run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === maxTries || !isTransient(error)) throw error;
      await clock.sleep(waitMs(tries));
    }
  }
}

function isTransient(error: unknown): boolean {
  return (
    isConnectionError(error) ||
    isStatusError(error, "InternalError") ||
    isStatusError(error, "ServiceUnavailable")
  );
}
