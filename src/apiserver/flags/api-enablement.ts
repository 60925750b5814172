import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "API enablement flags". */
export const apiEnablementFlags = {
  "runtime-config": { type: "configurationMap", help: "" },
} satisfies FlagSet;
