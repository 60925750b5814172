import type { Filter } from "../model/exchange.ts";

/** Filters that record traces: around requests, around other filters, and around verbs, but not around connections. */
export interface TraceFilters {
  readonly request: Filter;
  readonly step: (name: string, filter: Filter) => Filter;
  readonly verb: Filter;
}
