import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Features flags". */
export const featuresFlags = {
  "contention-profiling": {
    type: "bool",
    help: "Also record who waits for locks, with --profiling.",
  },
  "debug-socket-path": {
    type: "string",
    help: "A unix socket that serves profiles without authentication.",
  },
  "enable-priority-and-fairness": {
    type: "bool",
    default: true,
    help: "Let requests wait in fair queues when there are too many.",
  },
  profiling: { type: "bool", default: true, help: "Serve profiles at /debug/pprof/." },
} satisfies FlagSet;
