/** Upstream: cloud-provider-aws pkg/controllers/options/tagging_controller.go. */
import type { FlagSet } from "#/std/flags/flags.ts";

/** Flags of the provider `aws`: those of its tagging controller. */
export const awsFlags = {
  tags: {
    type: "stringToString",
    help: "Tags to apply to AWS resources in the tagging controller, in a form of key=value.",
  },
  resources: {
    type: "stringArray",
    help: "AWS resources name to add/remove tags in the tagging controller.",
  },
  "tagging-controller-rate-limit": {
    type: "float",
    help: "Steady-state rate limit (per sec) at which the controller processes items in its queue. A value of zero (default) disables rate limiting.",
  },
  "tagging-controller-burst-limit": {
    type: "int",
    help: "Burst limit at which the controller processes items in its queue. A value of zero (default) disables rate limiting.",
  },
  "tagging-controller-concurrent-node-syncs": {
    type: "int",
    default: 1,
    help: "The number of workers concurrently synchronizing nodes",
  },
  "tagging-controller-enable-batching": {
    type: "bool",
    help: "Enables batching create and delete tag calls.",
  },
} satisfies FlagSet;
