/** Upstream: k8s.io/apiserver/pkg/server/options, k8s.io/component-base/config/options. */
import type { FlagSet } from "#/std/flags.ts";

/** Flags of a component's own HTTPS server. */
export const secureServingFlags = (port: number) =>
  ({
    "bind-address": { type: "ip", default: "0.0.0.0", help: "The address to serve on." },
    "cert-dir": { type: "string", help: "Where the certificate is, unless files are given." },
    "disable-http2-serving": { type: "bool", help: "Serve HTTP/1.1 alone." },
    "http2-max-streams-per-connection": {
      type: "int",
      help: "How many streams one client may have.",
    },
    "permit-address-sharing": { type: "bool", help: "Bind even if the address was just in use." },
    "permit-port-sharing": { type: "bool", help: "Let several instances serve on one port." },
    "secure-port": { type: "int", default: port, help: "The port to serve HTTPS on; 0 for none." },
    "tls-cert-file": { type: "string", help: "The `file` with the serving certificate." },
    "tls-cipher-suites": { type: "stringSlice", help: "The cipher suites to offer." },
    "tls-curve-preferences": { type: "stringSlice", help: "The key exchanges to offer." },
    "tls-min-version": { type: "string", help: "The oldest version of TLS to speak." },
    "tls-private-key-file": { type: "string", help: "The `file` with the certificate's key." },
    "tls-sni-cert-key": { type: "stringArray", help: "Further certificates, by name asked for." },
  }) satisfies FlagSet;

/** Flags that say how the server knows who asks. */
export const delegatedAuthenticationFlags = {
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

/** Flags that say how the server knows what they may do. */
export const delegatedAuthorizationFlags = {
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

/** Flags of the election of the one instance that works; the name is that of its lease. */
export const leaderElectionFlags = (name: string) =>
  ({
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
      default: name,
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
  }) satisfies FlagSet;

/** Flags that say which metrics are shown. */
export const metricsFlags = {
  "allow-metric-labels": { type: "stringToString", help: "Values that labels may have." },
  "allow-metric-labels-manifest": { type: "string", help: "The `file` with such values." },
  "disabled-metrics": { type: "stringSlice", help: "Metrics not to show." },
  "show-hidden-metrics-for-version": { type: "string", help: "Show metrics hidden since then." },
} satisfies FlagSet;
