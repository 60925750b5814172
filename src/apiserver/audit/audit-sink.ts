import type { Event } from "#/api/audit/v1.ts";

/** Where audit events go. */
export interface AuditSink extends AsyncDisposable {
  /** Takes an event; a promise where the request must wait until it is kept. */
  record(event: Event): Promise<void> | void;
}
