import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Traces flags". */
export const tracesFlags = {
  "tracing-config-file": { type: "string", help: "" },
} satisfies FlagSet;
