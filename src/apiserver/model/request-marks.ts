import type { Filter } from "./exchange.ts";

/** Filters that note when a request has passed a gate; each is listed behind its gate. */
export interface RequestMarks {
  /** Begins the record; outside of all gates. */
  readonly begin: Filter;
  readonly authenticated: Filter;
  readonly authorized: Filter;
}
