import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Features flags". */
export const featuresFlags = {
  "contention-profiling": { type: "bool", help: "" },
  "debug-socket-path": { type: "string", help: "" },
  "enable-priority-and-fairness": { type: "bool", default: true, help: "" },
  profiling: { type: "bool", default: true, help: "" },
} satisfies FlagSet;
