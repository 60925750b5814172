/** Upstream: cmd/kube-scheduler/app/options. */
import { kubernetesMinor } from "#/api/base/kubernetes-version.ts";
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

const miscFlags = {
  config: { type: "string", help: "The `file` with the configuration." },
  master: { type: "string", help: "The address of the API server, over that of the kubeconfig." },
  "write-config-to": {
    type: "string",
    help: "Write the configuration with all defaults to this `file`, and end.",
  },
} satisfies FlagSet;

/** Flags that the configuration file has fields for; they are ignored if a file is given. */
const deprecatedFlags = {
  "contention-profiling": { type: "bool", default: true, help: "Of no use here." },
  "kube-api-burst": {
    type: "int32",
    default: 100,
    config: "clientConnection.burst",
    help: "How many requests may go out at once.",
  },
  "kube-api-content-type": {
    type: "string",
    default: "application/vnd.kubernetes.protobuf",
    config: "clientConnection.contentType",
    help: "The media type of requests; JSON is what is sent.",
  },
  "kube-api-qps": {
    type: "float32",
    default: 50,
    config: "clientConnection.qps",
    help: "How many requests may go out each second.",
  },
  kubeconfig: {
    type: "string",
    config: "clientConnection.kubeconfig",
    help: "The `file` that says where the API server is and who we are.",
  },
  "pod-max-in-unschedulable-pods-duration": {
    type: "duration",
    default: 300_000,
    help: "After so long an unschedulable pod is tried again whatever happens.",
  },
  profiling: { type: "bool", default: true, config: "enableProfiling", help: "Of no use here." },
} satisfies FlagSet;

const featureFlags = {
  "emulated-version": {
    type: "stringArray",
    help: `The version to behave as; only ${kubernetesMinor} is here.`,
  },
  "feature-gates": {
    type: "featureGates",
    help: "Features to turn on or off, as `A=true,B=false`.",
  },
  "min-compatibility-version": { type: "stringArray", help: "The oldest version among peers." },
} satisfies FlagSet;

const servingFlags = secureServingFlags(10259);
const electionFlags = leaderElectionFlags("kube-scheduler");

/** The flags in sections, for usage. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  { title: "Misc", flags: miscFlags },
  { title: "Secure serving", flags: servingFlags },
  { title: "Authentication", flags: delegatedAuthenticationFlags },
  { title: "Authorization", flags: delegatedAuthorizationFlags },
  { title: "Deprecated", flags: deprecatedFlags },
  { title: "Leader election", flags: electionFlags },
  { title: "Feature gate", flags: featureFlags },
  { title: "Traces", flags: tracingFlags },
  { title: "Metrics", flags: metricsFlags },
  { title: "Logs", flags: logFlags },
  { title: "Global", flags: globalFlags },
];

/** The flags of upstream's kube-scheduler, and that of traces. */
export const schedulerFlags = {
  ...miscFlags,
  ...servingFlags,
  ...delegatedAuthenticationFlags,
  ...delegatedAuthorizationFlags,
  ...deprecatedFlags,
  ...electionFlags,
  ...featureFlags,
  ...metricsFlags,
  ...logFlags,
  ...tracingFlags,
  ...globalFlags,
} satisfies FlagSet;

export type SchedulerFlags = FlagValues<typeof schedulerFlags>;
