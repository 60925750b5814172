import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Egress selector flags". */
export const egressSelectorFlags = {
  "egress-selector-config-file": {
    type: "string",
    help: "A file that says through which proxies the server connects to others.",
  },
} satisfies FlagSet;
