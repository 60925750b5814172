import {
  internalError,
  requestEntityTooLarge,
  StatusError,
  serviceUnavailable,
  statusWithoutReason,
} from "#/machinery/meta/status-error.ts";
import type { Logger } from "#/std/log/log.ts";
import {
  AmbiguousWriteError,
  NoSpaceError,
  StorageError,
  TooLargeError,
  UnavailableError,
} from "#/storage/base/storage.ts";
import type { Filter } from "../model/exchange.ts";
import { statusReply } from "./status-reply.ts";

/** The outermost filter: every error becomes a Status; unexpected ones are logged with their stack. */
export function answerErrors(log: Logger): Filter {
  return async function answerErrorsFilter(exchange, next) {
    try {
      return await next(exchange);
    } catch (error) {
      const status = toStatusError(error);
      if (status.code >= 500)
        log.error(error, "request failed", { method: exchange.method, path: exchange.path });
      return statusReply(status.status, exchange);
    }
  };
}

/** The Status for an error. */
function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  // Without Retry-After: clients would repeat a creation that may have happened.
  if (error instanceof AmbiguousWriteError) return statusWithoutReason(error.message);
  if (error instanceof UnavailableError || error instanceof NoSpaceError)
    return serviceUnavailable(error.message);
  if (error instanceof TooLargeError) return requestEntityTooLarge(error.message);
  if (error instanceof StorageError) return internalError(error);
  return internalError(error instanceof Error ? error : new Error(String(error)));
}
