import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Metrics flags". */
export const metricsFlags = {
  "allow-metric-labels": {
    type: "stringToString",
    help: "Allowed values of labels, as metric,label=values.",
  },
  "allow-metric-labels-manifest": { type: "string", help: "A file with allowed values of labels." },
  "disabled-metrics": { type: "stringSlice", help: "Metrics that are left out." },
  "show-hidden-metrics-for-version": {
    type: "string",
    help: "The version before whose deprecation hidden metrics are shown.",
  },
} satisfies FlagSet;
