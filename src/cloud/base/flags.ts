/** Upstream: staging/src/k8s.io/cloud-provider/options, staging/src/k8s.io/controller-manager/options/generic.go. */
import { globalFlags } from "#/component/component-command.ts";
import { leaderElectionFlags, metricsFlags } from "#/component/component-flags.ts";
import {
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  secureServingFlags,
} from "#/component/component-server-flags.ts";
import { tracingFlags } from "#/component/tracing-configuration.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";
import { webhookFlags } from "./webhook-flags.ts";

const genericFlags = {
  "allocate-node-cidrs": { type: "bool", help: "Whether nodes get ranges of Pod addresses." },
  "allow-untagged-cloud": {
    type: "bool",
    help: "Run without an identifier of the cluster on cloud instances.",
    deprecated:
      "This flag is deprecated and will be removed in a future release. A cluster-id will be required on cloud instances.",
  },
  "cidr-allocator-type": { type: "string", default: "RangeAllocator", help: "Ignored." },
  "cloud-config": { type: "string", help: "The `file` with the provider's configuration." },
  "cloud-provider": { type: "string", help: "The provider of cloud services." },
  "cluster-cidr": { type: "string", help: "The range of Pod addresses; one per family." },
  "cluster-name": { type: "string", default: "kubernetes", help: "The cluster's name." },
  "configure-cloud-routes": {
    type: "bool",
    default: true,
    help: "Have the cloud route the ranges of nodes.",
  },
  "contention-profiling": { type: "bool", help: "Ignored." },
  "controller-start-interval": { type: "duration", help: "The interval of starts of controllers." },
  controllers: {
    type: "stringSlice",
    default: ["*"],
    help: "Which controllers run: * for those that do by default, a name for one more, -NAME for one less.",
  },
  "enable-leader-migration": { type: "bool", help: "Ignored." },
  "external-cloud-volume-plugin": { type: "string", help: "Ignored." },
  "feature-gates": {
    type: "featureGates",
    help: "Features to turn on or off, as `A=true,B=false`.",
  },
  "kube-api-burst": { type: "int", default: 30, help: "Limit of requests at once." },
  "kube-api-content-type": {
    type: "string",
    default: "application/vnd.kubernetes.protobuf",
    help: "The media type of requests.",
  },
  "kube-api-qps": { type: "float", default: 20, help: "Limit of requests per second." },
  "leader-migration-config": { type: "string", help: "Ignored." },
  "min-resync-period": {
    type: "duration",
    default: 43_200_000,
    help: "Nothing is resynced: stores never miss a change.",
  },
  "node-sync-period": {
    type: "duration",
    help: "Ignored.",
    deprecated: "This flag is currently no-op and will be deleted.",
  },
  profiling: { type: "bool", default: true, help: "Ignored." },
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

const controllerFlags = {
  "concurrent-node-status-updates": {
    type: "int",
    help: "Limit of status updates of nodes at once; 0 is that of --concurrent-node-syncs.",
  },
  "concurrent-node-syncs": { type: "int", default: 1, help: "Limit of nodes at once." },
  "concurrent-node-lifecycle-syncs": {
    type: "int",
    default: 1,
    help: "Limit of nodes at once that are checked in the cloud.",
  },
  "node-monitor-period": {
    type: "duration",
    default: 5_000,
    help: "The interval of checks whether instances exist.",
  },
  "concurrent-service-syncs": { type: "int", default: 1, help: "Limit of Services at once." },
  "node-status-update-frequency": {
    type: "duration",
    default: 300_000,
    help: "The interval of updates of node addresses.",
  },
} satisfies FlagSet;

const miscFlags = {
  kubeconfig: { type: "string", help: "The kubeconfig `file`." },
  master: { type: "string", help: "The address of the API server, over that of the kubeconfig." },
} satisfies FlagSet;

/** Flags that upstream does not have. */
const planFlags = {
  "plan-only": {
    type: "bool",
    help: "Print what would be done for each Service, node and route, change nothing, and exit.",
  },
  output: {
    type: "string",
    shorthand: "o",
    default: "text",
    help: "The format of --plan-only: text or json.",
  },
  "drift-check-period": {
    type: "duration",
    default: 600_000,
    help: "The interval of checks of the controller cloud-drift-controller, which is off by default.",
  },
} satisfies FlagSet;

const port = 10258;
const lease = "cloud-controller-manager";

/** The flag sections of --help. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  { title: "Generic", flags: { ...genericFlags, ...leaderElectionFlags(lease) } },
  { title: "Controllers", flags: controllerFlags },
  { title: "Webhook", flags: webhookFlags },
  { title: "Secure serving", flags: secureServingFlags(port) },
  { title: "Authentication", flags: delegatedAuthenticationFlags },
  { title: "Authorization", flags: delegatedAuthorizationFlags },
  { title: "Plan and drift", flags: planFlags },
  { title: "Metrics", flags: metricsFlags },
  { title: "Logs", flags: logFlags },
  { title: "Misc", flags: miscFlags },
  { title: "Traces", flags: tracingFlags },
  { title: "Global", flags: globalFlags },
];

/** The flags of upstream's cloud-controller-manager, and those of plans and traces. */
export const cloudFlags = {
  ...genericFlags,
  ...tracingFlags,
  ...leaderElectionFlags(lease),
  ...controllerFlags,
  ...webhookFlags,
  ...secureServingFlags(port),
  ...delegatedAuthenticationFlags,
  ...delegatedAuthorizationFlags,
  ...planFlags,
  ...metricsFlags,
  ...logFlags,
  ...miscFlags,
  ...globalFlags,
} satisfies FlagSet;

export type CloudFlags = FlagValues<typeof cloudFlags>;
