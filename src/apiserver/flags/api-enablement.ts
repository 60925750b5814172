import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "API enablement flags". */
export const apiEnablementFlags = {
  "runtime-config": {
    type: "configurationMap",
    help: "APIs to turn on or off, as group/version=true|false; also api/all, api/ga, api/beta, api/alpha.",
  },
} satisfies FlagSet;
