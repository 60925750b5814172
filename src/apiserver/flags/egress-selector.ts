import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Egress selector flags". */
export const egressSelectorFlags = {
  "egress-selector-config-file": { type: "string", help: "" },
} satisfies FlagSet;
