import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Metrics flags". */
export const metricsFlags = {
  "allow-metric-labels": { type: "stringToString", help: "" },
  "allow-metric-labels-manifest": { type: "string", help: "" },
  "disabled-metrics": { type: "stringSlice", help: "" },
  "show-hidden-metrics-for-version": { type: "string", help: "" },
} satisfies FlagSet;
