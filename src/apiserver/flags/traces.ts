import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Traces flags". */
export const tracesFlags = {
  "tracing-config-file": {
    type: "string",
    help: "A file that says where spans of requests are sent.",
  },
} satisfies FlagSet;
