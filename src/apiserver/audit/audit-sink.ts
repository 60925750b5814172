import type { Event } from "#/api/audit/v1.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";

/** Where audit events go. */
export interface AuditSink extends AsyncDisposable {
  /** Takes an event; a promise where the request must wait until it is kept. */
  record(event: Event): MaybePromise<void>;
}
