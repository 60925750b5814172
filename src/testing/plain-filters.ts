import { apiServerFlags } from "#/apiserver/flags/index.ts";
import type { Filter } from "#/apiserver/model/exchange.ts";
import { type FilterOptions, openFilters } from "#/apiserver/request-filters.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";

/** The filters of a server without flags. */
const plain = [
  "headers",
  "console",
  "compression",
  "errors",
  "journey",
  "authentication",
  "journeyauthenticated",
  "tracing",
  "constrainedimpersonation",
  "authorization",
  "journeyauthorized",
];

const defaults = {
  flags: parseFlags(apiServerFlags, []).values,
  egress: {},
  isStopping: () => false,
};

type Given = Omit<FilterOptions, keyof typeof defaults | "metrics">;

/** The filters of a server without flags; those given by name are added or replace its own. */
export async function openPlainFilters(
  given: Given,
  instead: Readonly<Record<string, Filter>> = {},
): Promise<readonly Filter[]> {
  const options = { ...defaults, ...given, metrics: new Metrics() };
  return (await openFilters(options, { only: plain, instead })).list;
}
