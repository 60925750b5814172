/**
 * Upstream: staging/src/k8s.io/component-base/config/options,
 * staging/src/k8s.io/component-base/metrics/options.go.
 */
import type { FlagSet } from "#/std/flags/flags.ts";

/** Flags of leader election; the name is that of its lease. */
export const leaderElectionFlags = (name: string) =>
  ({
    "leader-elect": {
      type: "bool",
      default: true,
      config: "leaderElection.leaderElect",
      help: "Work only as leader, so that several instances can run.",
    },
    "leader-elect-lease-duration": {
      type: "duration",
      default: 15_000,
      config: "leaderElection.leaseDuration",
      help: "How long others wait for a silent leader.",
    },
    "leader-elect-renew-deadline": {
      type: "duration",
      default: 10_000,
      config: "leaderElection.renewDeadline",
      help: "How long a leader may fail to renew before it gives up.",
    },
    "leader-elect-resource-lock": {
      type: "string",
      default: "leases",
      config: "leaderElection.resourceLock",
      help: "The kind of the lock object.",
    },
    "leader-elect-resource-name": {
      type: "string",
      default: name,
      config: "leaderElection.resourceName",
      help: "The name of the lock object.",
    },
    "leader-elect-resource-namespace": {
      type: "string",
      default: "kube-system",
      config: "leaderElection.resourceNamespace",
      help: "The namespace of the lock object.",
    },
    "leader-elect-retry-period": {
      type: "duration",
      default: 2_000,
      config: "leaderElection.retryPeriod",
      help: "The interval of attempts to acquire or renew.",
    },
  }) satisfies FlagSet;

/** Flags that select the exposed metrics. */
export const metricsFlags = {
  "allow-metric-labels": { type: "stringToString", help: "Values that labels may have." },
  "allow-metric-labels-manifest": { type: "string", help: "The `file` with such values." },
  "disabled-metrics": { type: "stringSlice", help: "Metrics to hide." },
  "show-hidden-metrics-for-version": { type: "string", help: "Show metrics hidden since then." },
} satisfies FlagSet;
