import type { FlagSet } from "#/std/flags/flags.ts";

/** Of the range for tests of networks (RFC 2544), which no network has; and a unique local one. */
const defaultPools = ["198.18.0.0/24", "fd19:8180::/112"];

/** Flags of the provider `local`. */
export const localFlags = {
  "lb-pool": {
    type: "stringSlice",
    default: defaultPools,
    help: "The networks with the addresses of load balancers of the provider local.",
  },
  "lb-localhost": {
    type: "bool",
    help: "Provider local: also listen on localhost at the ports of load balancers that are free.",
  },
  "lb-localhost-netns": {
    type: "string",
    help: "Provider local: the `file` of the network namespace whose localhost is meant; empty for the process' own.",
  },
} satisfies FlagSet;
