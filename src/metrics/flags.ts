/** Upstream: sigs.k8s.io/metrics-server, cmd/metrics-server/app/options. */
import { globalFlags } from "#/component/component-command.ts";
import {
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  secureServingFlags,
} from "#/component/component-server-flags.ts";
import { tracingFlags } from "#/component/tracing-configuration.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { FlagError, type FlagSet, type FlagValues } from "#/std/flags/flags.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const ownFlags = {
  "metric-resolution": {
    type: "duration",
    default: 60_000,
    help: "The interval of readings, at least 10s.",
  },
  kubeconfig: {
    type: "string",
    help: "The kubeconfig `file` for the API server and the kubelets. Default: that of a Pod.",
  },
} satisfies FlagSet;

const kubeletFlags = {
  "deprecated-kubelet-completely-insecure": {
    type: "bool",
    help: "Read from kubelets without encryption and without credentials.",
  },
  "kubelet-certificate-authority": {
    type: "string",
    help: "The `file` of the CA certificates of kubelets.",
  },
  "kubelet-client-certificate": {
    type: "string",
    help: "The `file` of the client certificate for kubelets.",
  },
  "kubelet-client-key": { type: "string", help: "The `file` of the key of that certificate." },
  "kubelet-insecure-tls": {
    type: "bool",
    help: "Do not verify the certificates of kubelets. For tests only.",
  },
  "kubelet-port": { type: "int", default: 10250, help: "The port of kubelets." },
  "kubelet-preferred-address-types": {
    type: "stringSlice",
    default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
    help: "The types of node addresses to use, the preferred one first.",
  },
  "kubelet-request-timeout": {
    type: "duration",
    default: 10_000,
    help: "The timeout of a request to a kubelet.",
  },
  "kubelet-use-node-status-port": {
    type: "bool",
    help: "Use the port in the status of a node, before --kubelet-port.",
  },
  "node-selector": {
    type: "string",
    shorthand: "l",
    help: "A label selector of the nodes to read from.",
  },
} satisfies FlagSet;

/** Flags that upstream does not have. */
const publishFlags = {
  "publish-address": {
    type: "string",
    help: "Register the API: with a Service whose endpoint is this address. Default: its Service and APIService are made by hand.",
  },
  "publish-ca-file": {
    type: "string",
    help: "The `file` of the CA certificates of the server, for the registered API.",
  },
  cleanup: { type: "bool", help: "Remove the registration, and exit." },
} satisfies FlagSet;

/** The flag sections of --help. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  { title: "Metrics server", flags: ownFlags },
  { title: "Kubelet client", flags: kubeletFlags },
  { title: "Registration", flags: publishFlags },
  { title: "Secure serving", flags: secureServingFlags(443) },
  { title: "Authentication", flags: delegatedAuthenticationFlags },
  { title: "Authorization", flags: delegatedAuthorizationFlags },
  { title: "Traces", flags: tracingFlags },
  { title: "Logs", flags: logFlags },
  { title: "Global", flags: globalFlags },
];

/** The flags of metrics-server. */
export const metricsServerFlags = {
  ...ownFlags,
  ...kubeletFlags,
  ...publishFlags,
  ...secureServingFlags(443),
  ...delegatedAuthenticationFlags,
  ...delegatedAuthorizationFlags,
  ...tracingFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type MetricsServerFlags = FlagValues<typeof metricsServerFlags>;

/** Limit (ms) from below of the interval of readings: kubelets do not measure more often. */
const minResolutionMs = 10_000;

/** Throws a FlagError for values that contradict each other. */
export function validateFlags(flags: MetricsServerFlags): void {
  const authority = flags["kubelet-certificate-authority"] !== "";
  const certificate = flags["kubelet-client-certificate"] !== "";
  const key = flags["kubelet-client-key"] !== "";
  const plain = flags["deprecated-kubelet-completely-insecure"];
  const unverified = flags["kubelet-insecure-tls"];
  const resolutionMs = flags["metric-resolution"];
  const timeoutMs = flags["kubelet-request-timeout"];
  const together = (a: string, b: string) => `cannot use both --${a} and --${b}`;
  const completely = "deprecated-kubelet-completely-insecure";
  const problems = [
    authority && unverified
      ? together("kubelet-certificate-authority", "kubelet-insecure-tls")
      : "",
    key === certificate ? "" : "need both --kubelet-client-key and --kubelet-client-certificate",
    key && plain ? together("kubelet-client-key", completely) : "",
    certificate && plain ? together("kubelet-client-certificate", completely) : "",
    unverified && plain ? together("kubelet-insecure-tls", completely) : "",
    authority && plain ? together("kubelet-certificate-authority", completely) : "",
    timeoutMs > 0 ? "" : "kubelet-request-timeout should be positive",
    resolutionMs >= minResolutionMs
      ? ""
      : `metric-resolution should be a time duration at least 10s, but value ${formatDuration(resolutionMs)} provided`,
    resolutionMs * 0.9 >= timeoutMs
      ? ""
      : `metric-resolution should be larger than kubelet-request-timeout, but metric-resolution value ${formatDuration(resolutionMs)} kubelet-request-timeout value ${formatDuration(timeoutMs)} provided`,
  ].filter((problem) => problem !== "");
  if (problems.length > 0) throw new FlagError(problems.join(", "));
  parseSelector(flags["node-selector"]);
}
