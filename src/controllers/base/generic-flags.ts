/** Upstream: staging/src/k8s.io/controller-manager/options/generic.go, …/kubecloudshared.go. */
import type { FlagSet } from "#/std/flags/flags.ts";

/** The flags of the manager itself. */
export const genericFlags = {
  "allocate-node-cidrs": { type: "bool", help: "Give each node a range of pod addresses." },
  "cidr-allocator-type": {
    type: "string",
    default: "RangeAllocator",
    help: "The allocator of ranges of pod addresses.",
  },
  "cloud-config": { type: "string", help: "The `file` with a cloud provider's configuration." },
  "cloud-provider": { type: "string", help: "The cloud provider; empty for none." },
  "cluster-cidr": { type: "string", help: "The range of pod addresses; one per family." },
  "cluster-name": { type: "string", default: "kubernetes", help: "The cluster's name." },
  "configure-cloud-routes": {
    type: "bool",
    default: true,
    help: "Have the cloud provider route the ranges of nodes.",
  },
  "controller-shutdown-timeout": {
    type: "duration",
    default: 10_000,
    help: "Limit of the time in which controllers end.",
  },
  "controller-start-interval": {
    type: "duration",
    help: "The interval of the starts of controllers.",
  },
  controllers: {
    type: "stringSlice",
    default: ["*"],
    help: "Which controllers run: * for those that do by default, a name for one more, -NAME for one less.",
  },
  "min-resync-period": {
    type: "duration",
    default: 43_200_000,
    help: "Nothing is resynced: stores never miss a change.",
  },
  "route-reconciliation-period": {
    type: "duration",
    default: 10_000,
    help: "The interval of checks of node routes.",
  },
  "use-service-account-credentials": {
    type: "bool",
    help: "Each controller acts as a service account of its own.",
  },
} satisfies FlagSet;
