/** Upstream: cmd/kube-controller-manager/app/options/options.go. */
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
import { controllerFlags } from "./controller-flags.ts";
import { genericFlags } from "./generic-flags.ts";

const clientFlags = {
  kubeconfig: {
    type: "string",
    help: "The kubeconfig `file`.",
  },
  master: { type: "string", help: "The address of the API server, over that of the kubeconfig." },
  "kube-api-burst": { type: "int", default: 30, help: "Limit of requests at once." },
  "kube-api-content-type": {
    type: "string",
    default: "application/vnd.kubernetes.protobuf",
    help: "The media type of requests.",
  },
  "kube-api-qps": {
    type: "float",
    default: 20,
    help: "Limit of requests per second.",
  },
} satisfies FlagSet;

const otherFlags = {
  "contention-profiling": { type: "bool", help: "Ignored." },
  profiling: { type: "bool", default: true, help: "Ignored." },
  "enable-leader-migration": { type: "bool", help: "Ignored." },
  "leader-migration-config": { type: "string", help: "Ignored." },
  "external-cloud-volume-plugin": { type: "string", help: "Ignored." },
  "emulated-version": {
    type: "stringSlice",
    help: `The version to behave as; only ${kubernetesMinor} is here.`,
  },
  "min-compatibility-version": { type: "stringSlice", help: "The oldest version among peers." },
  "feature-gates": {
    type: "featureGates",
    help: "Features to turn on or off, as `A=true,B=false`.",
  },
} satisfies FlagSet;

/** The flag sections of --help. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  {
    title: "Generic",
    flags: { ...genericFlags, ...leaderElectionFlags("kube-controller-manager") },
  },
  { title: "Client", flags: clientFlags },
  { title: "Secure serving", flags: secureServingFlags(10257) },
  { title: "Authentication", flags: delegatedAuthenticationFlags },
  { title: "Authorization", flags: delegatedAuthorizationFlags },
  { title: "Controllers", flags: controllerFlags },
  { title: "Metrics", flags: metricsFlags },
  { title: "Logs", flags: logFlags },
  { title: "Misc", flags: otherFlags },
  { title: "Traces", flags: tracingFlags },
  { title: "Global", flags: globalFlags },
];

/** The flags of upstream's kube-controller-manager, and that of traces. */
export const managerFlags = {
  ...genericFlags,
  ...leaderElectionFlags("kube-controller-manager"),
  ...clientFlags,
  ...secureServingFlags(10257),
  ...delegatedAuthenticationFlags,
  ...delegatedAuthorizationFlags,
  ...controllerFlags,
  ...metricsFlags,
  ...logFlags,
  ...globalFlags,
  ...otherFlags,
  ...tracingFlags,
} satisfies FlagSet;

export type ManagerFlags = FlagValues<typeof managerFlags>;
