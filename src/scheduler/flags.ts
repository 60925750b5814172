/** Upstream: kubernetes/cmd/kube-scheduler/app/options. */
import type { FlagSet, FlagValues } from "#/std/flags.ts";
import { logFlags } from "#/std/log-flags.ts";

const misc = {
  config: { type: "string", help: "The `file` with the configuration." },
  master: { type: "string", help: "The address of the API server, over that of the kubeconfig." },
  "write-config-to": {
    type: "string",
    help: "Write the configuration with all defaults to this `file`, and end.",
  },
} satisfies FlagSet;

const secureServing = {
  "bind-address": { type: "ip", default: "0.0.0.0", help: "The address to serve on." },
  "cert-dir": { type: "string", help: "Where the certificate is, unless files are given." },
  "disable-http2-serving": { type: "bool", help: "Serve HTTP/1.1 alone." },
  "http2-max-streams-per-connection": {
    type: "int",
    help: "How many streams one client may have.",
  },
  "permit-address-sharing": { type: "bool", help: "Bind even if the address was just in use." },
  "permit-port-sharing": { type: "bool", help: "Let several instances serve on one port." },
  "secure-port": { type: "int", default: 10259, help: "The port to serve HTTPS on; 0 for none." },
  "tls-cert-file": { type: "string", help: "The `file` with the serving certificate." },
  "tls-cipher-suites": { type: "stringSlice", help: "The cipher suites to offer." },
  "tls-curve-preferences": { type: "stringSlice", help: "The key exchanges to offer." },
  "tls-min-version": { type: "string", help: "The oldest version of TLS to speak." },
  "tls-private-key-file": { type: "string", help: "The `file` with the certificate's key." },
  "tls-sni-cert-key": { type: "stringArray", help: "Further certificates, by name asked for." },
} satisfies FlagSet;

const authentication = {
  "authentication-kubeconfig": { type: "string", help: "Who is asked about tokens." },
  "authentication-skip-lookup": { type: "bool", help: "Don't ask the cluster who signs clients." },
  "authentication-token-webhook-cache-ttl": {
    type: "duration",
    default: 10_000,
    help: "How long answers about tokens are kept.",
  },
  "authentication-tolerate-lookup-failure": {
    type: "bool",
    default: true,
    help: "Serve even if the cluster can't say who signs clients.",
  },
  "client-ca-file": { type: "string", help: "The `file` with those who sign clients." },
  "requestheader-allowed-names": { type: "stringSlice", help: "Names of trusted proxies." },
  "requestheader-client-ca-file": {
    type: "string",
    help: "The `file` with those who sign proxies.",
  },
  "requestheader-extra-headers-prefix": {
    type: "stringSlice",
    default: ["x-remote-extra-"],
    help: "How headers with more about users begin.",
  },
  "requestheader-group-headers": {
    type: "stringSlice",
    default: ["x-remote-group"],
    help: "Headers with users' groups.",
  },
  "requestheader-uid-headers": { type: "stringSlice", help: "Headers with users' UIDs." },
  "requestheader-username-headers": {
    type: "stringSlice",
    default: ["x-remote-user"],
    help: "Headers with users' names.",
  },
} satisfies FlagSet;

const authorization = {
  "authorization-always-allow-paths": {
    type: "stringSlice",
    default: ["/healthz", "/readyz", "/livez"],
    help: "Paths that anybody may read.",
  },
  "authorization-kubeconfig": { type: "string", help: "Who is asked what users may do." },
  "authorization-webhook-cache-authorized-ttl": {
    type: "duration",
    default: 10_000,
    help: "How long a yes is kept.",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    type: "duration",
    default: 10_000,
    help: "How long a no is kept.",
  },
} satisfies FlagSet;

const deprecated = {
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
    help: "The media type of requests.",
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

const leaderElection = {
  "leader-elect": {
    type: "bool",
    default: true,
    config: "leaderElection.leaderElect",
    help: "Work only while leading, so that several instances can stand by.",
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
    help: "After so long without renewal a leader gives up.",
  },
  "leader-elect-resource-lock": {
    type: "string",
    default: "leases",
    config: "leaderElection.resourceLock",
    help: "The kind of object that tells who leads.",
  },
  "leader-elect-resource-name": {
    type: "string",
    default: "kube-scheduler",
    config: "leaderElection.resourceName",
    help: "The name of that object.",
  },
  "leader-elect-resource-namespace": {
    type: "string",
    default: "kube-system",
    config: "leaderElection.resourceNamespace",
    help: "The namespace of that object.",
  },
  "leader-elect-retry-period": {
    type: "duration",
    default: 2_000,
    config: "leaderElection.retryPeriod",
    help: "The time between tries.",
  },
} satisfies FlagSet;

const features = {
  "emulated-version": { type: "stringArray", help: "The version to behave as; only 1.37 is here." },
  "feature-gates": {
    type: "featureGates",
    help: "Features to turn on or off, as `A=true,B=false`.",
  },
  "min-compatibility-version": { type: "stringArray", help: "The oldest version among peers." },
} satisfies FlagSet;

const metrics = {
  "allow-metric-labels": { type: "stringToString", help: "Values that labels may have." },
  "allow-metric-labels-manifest": { type: "string", help: "The `file` with such values." },
  "disabled-metrics": { type: "stringSlice", help: "Metrics not to show." },
  "show-hidden-metrics-for-version": { type: "string", help: "Show metrics hidden since then." },
} satisfies FlagSet;

/** The flags in sections, for usage. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  { title: "Misc", flags: misc },
  { title: "Secure serving", flags: secureServing },
  { title: "Authentication", flags: authentication },
  { title: "Authorization", flags: authorization },
  { title: "Deprecated", flags: deprecated },
  { title: "Leader election", flags: leaderElection },
  { title: "Feature gate", flags: features },
  { title: "Metrics", flags: metrics },
  { title: "Logs", flags: logFlags },
];

/** The flags of upstream's kube-scheduler. */
export const schedulerFlags = {
  ...misc,
  ...secureServing,
  ...authentication,
  ...authorization,
  ...deprecated,
  ...leaderElection,
  ...features,
  ...metrics,
  ...logFlags,
} satisfies FlagSet;

export type SchedulerFlags = FlagValues<typeof schedulerFlags>;
