import type { Event } from "#/api/audit/v1.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";

/** Destination of audit events. */
export interface AuditSink extends AsyncDisposable {
  /**
   * Accepts an event whose objects had that size as bodies, default 0; returns a promise if the request must wait until it is
   * written.
   */
  record(event: Event, bodyBytes?: number): MaybePromise<void>;
}
