import { globalFlags } from "#/component/component-command.ts";
import { tracingFlags } from "#/component/tracing-configuration.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const ignored = "This parameter is ignored if a config file is specified by --config.";
const interval = "(e.g. '5s', '1m', '2h22m')";

const clientFlags = {
  config: { type: "string", help: "The path to the configuration file." },
  "write-config-to": {
    type: "string",
    help: "If set, write the default configuration values to this file and exit.",
  },
  cleanup: { type: "bool", help: "If true cleanup iptables and ipvs rules and exit." },
  "init-only": {
    type: "bool",
    help: "If true, do what needs all of root's privileges and exit; CAP_NET_ADMIN is then enough.",
  },
  "feature-gates": {
    type: "featureGates",
    help: `A set of key=value pairs that describe feature gates. ${ignored}`,
    config: "featureGates",
  },
  kubeconfig: {
    type: "string",
    help: "Path to kubeconfig file with authorization information (the master location can be overridden by the master flag).",
    config: "clientConnection.kubeconfig",
  },
  master: {
    type: "string",
    help: "The address of the Kubernetes API server (overrides any value in kubeconfig)",
  },
  "kube-api-content-type": {
    type: "string",
    default: "application/vnd.kubernetes.protobuf",
    help: "Content type of requests sent to apiserver.",
    config: "clientConnection.contentType",
  },
  "kube-api-burst": {
    type: "int32",
    default: 10,
    help: "Burst to use while talking with kubernetes apiserver",
    config: "clientConnection.burst",
  },
  "kube-api-qps": {
    type: "float32",
    default: 5,
    help: "QPS to use while talking with kubernetes apiserver",
    config: "clientConnection.qps",
  },
  "config-sync-period": {
    type: "duration",
    default: 900_000,
    help: "How often configuration from the apiserver is refreshed. Must be greater than 0.",
    config: "configSyncPeriod",
  },
} satisfies FlagSet;

const nodeFlags = {
  "hostname-override": {
    type: "string",
    help: "If non-empty, the name of the Node that kube-proxy is running on; otherwise the node's hostname.",
  },
  "bind-address": {
    type: "ip",
    default: "0.0.0.0",
    help: `Overrides kube-proxy's idea of what its node's primary IP is. ${ignored}`,
    config: "bindAddress",
  },
  "healthz-bind-address": {
    type: "string",
    default: "0.0.0.0:10256",
    help: `The IP address and port for the health check server to serve on. ${ignored}`,
    config: "healthzBindAddress",
  },
  "metrics-bind-address": {
    type: "string",
    default: "127.0.0.1:10249",
    help: `The IP address and port for the metrics server to serve on. ${ignored}`,
    config: "metricsBindAddress",
  },
  "bind-address-hard-fail": {
    type: "bool",
    help: "If true kube-proxy will treat failure to bind to a port as fatal and exit",
    config: "bindAddressHardFail",
  },
  "healthz-port": {
    type: "int32",
    default: 10256,
    help: "The port to bind the health check server. Use 0 to disable.",
    deprecated:
      "This flag is deprecated and will be removed in a future release. Please use --healthz-bind-address instead.",
  },
  "metrics-port": {
    type: "int32",
    default: 10249,
    help: "The port to bind the metrics server. Use 0 to disable.",
    deprecated:
      "This flag is deprecated and will be removed in a future release. Please use --metrics-bind-address instead.",
  },
  profiling: {
    type: "bool",
    help: `If true enables profiling via web interface on /debug/pprof handler. ${ignored}`,
    config: "enableProfiling",
  },
  "show-hidden-metrics-for-version": {
    type: "string",
    help: `The previous version for which you want to show hidden metrics. ${ignored}`,
    config: "showHiddenMetricsForVersion",
  },
  "oom-score-adj": {
    type: "int32",
    default: -999,
    help: `The oom-score-adj value for kube-proxy process. Values must be within the range [-1000, 1000]. ${ignored}`,
    config: "oomScoreAdj",
  },
} satisfies FlagSet;

const ruleFlags = {
  "proxy-mode": {
    type: "string",
    help: `Which proxy mode to use: 'iptables' (default), 'ipvs' or 'nftables'. ${ignored}`,
    config: "mode",
  },
  "iptables-masquerade-bit": {
    type: "int32",
    default: 14,
    help: "If using the iptables or ipvs proxy mode, the bit of the fwmark space to mark packets requiring SNAT with. Must be within the range [0, 31].",
    config: "iptables.masqueradeBit",
  },
  "masquerade-all": {
    type: "bool",
    help: "SNAT all traffic sent via Service cluster IPs. This may be required with some CNI plugins. Only supported on Linux.",
  },
  "iptables-localhost-nodeports": {
    type: "bool",
    default: true,
    help: "If false, NodePort services can't be accessed via localhost (iptables mode and IPv4 only).",
    config: "iptables.localhostNodePorts",
  },
  "iptables-sync-period": {
    type: "duration",
    default: 30_000,
    help: `How frequently various re-synchronizing and cleanup operations are performed ${interval}. Must be greater than 0.`,
  },
  "iptables-min-sync-period": {
    type: "duration",
    default: 1000,
    help: `The minimum period between rule resyncs ${interval}. 0 means that every change is written at once.`,
  },
  "detect-local-mode": {
    type: "string",
    help: `Mode to use to detect local traffic. ${ignored}`,
    config: "detectLocalMode",
  },
  "pod-bridge-interface": {
    type: "string",
    help: "With --detect-local-mode=BridgeInterface, the bridge from which local traffic comes.",
    config: "detectLocal.bridgeInterface",
  },
  "pod-interface-name-prefix": {
    type: "string",
    help: "With --detect-local-mode=InterfaceNamePrefix, what the names of the interfaces begin with from which local traffic comes.",
    config: "detectLocal.interfaceNamePrefix",
  },
  "cluster-cidr": {
    type: "string",
    help: `The CIDR range of the pods in the cluster; for dual-stack clusters two, separated by a comma. With --detect-local-mode=ClusterCIDR, traffic from there is local. ${ignored}`,
    config: "clusterCIDR",
  },
  "nodeport-addresses": {
    type: "stringSlice",
    help: `A list of CIDR ranges and/or the keywords 'primary', 'localhost' and 'all'. NodePort services are only accessible on node IPs covered by the list. Default 'all' in iptables and ipvs mode, and 'primary' in nftables mode. ${ignored}`,
    config: "nodePortAddresses",
  },
} satisfies FlagSet;

const conntrackFlags = {
  "conntrack-max-per-core": {
    type: "int32",
    default: 32_768,
    help: "Maximum number of NAT connections to track per CPU core (0 to leave the limit as-is and ignore conntrack-min).",
    config: "conntrack.maxPerCore",
  },
  "conntrack-min": {
    type: "int32",
    default: 131_072,
    help: "Minimum number of conntrack entries to allocate, regardless of conntrack-max-per-core (set conntrack-max-per-core=0 to leave the limit as-is).",
    config: "conntrack.min",
  },
  "conntrack-tcp-timeout-established": {
    type: "duration",
    default: 86_400_000,
    help: "Idle timeout for established TCP connections (0 to leave as-is)",
    config: "conntrack.tcpEstablishedTimeout",
  },
  "conntrack-tcp-timeout-close-wait": {
    type: "duration",
    default: 3_600_000,
    help: "NAT timeout for TCP connections in the CLOSE_WAIT state",
    config: "conntrack.tcpCloseWaitTimeout",
  },
  "conntrack-tcp-be-liberal": {
    type: "bool",
    help: "Enable liberal mode for tracking TCP packets by setting nf_conntrack_tcp_be_liberal to 1",
    config: "conntrack.tcpBeLiberal",
  },
  "conntrack-udp-timeout": {
    type: "duration",
    help: "Idle timeout for UNREPLIED UDP connections (0 to leave as-is)",
    config: "conntrack.udpTimeout",
  },
  "conntrack-udp-timeout-stream": {
    type: "duration",
    help: "Idle timeout for ASSURED UDP connections (0 to leave as-is)",
    config: "conntrack.udpStreamTimeout",
  },
} satisfies FlagSet;

const ipvsFlags = {
  "ipvs-sync-period": {
    type: "duration",
    default: 30_000,
    help: `How frequently various re-synchronizing and cleanup operations are performed in ipvs mode ${interval}. Must be greater than 0.`,
  },
  "ipvs-min-sync-period": {
    type: "duration",
    default: 1000,
    help: `The minimum period between IPVS rule resyncs ${interval}. 0 means that every change is written at once.`,
  },
  "ipvs-scheduler": {
    type: "string",
    help: "The ipvs scheduler type when proxy mode is ipvs",
    config: "ipvs.scheduler",
  },
  "ipvs-exclude-cidrs": {
    type: "stringSlice",
    help: "A comma-separated list of CIDRs which the ipvs proxier should not touch when cleaning up IPVS rules.",
    config: "ipvs.excludeCIDRs",
  },
  "ipvs-strict-arp": {
    type: "bool",
    help: "Enable strict ARP by setting arp_ignore to 1 and arp_announce to 2",
    config: "ipvs.strictARP",
  },
  "ipvs-tcp-timeout": {
    type: "duration",
    help: `The timeout for idle IPVS TCP connections, 0 to leave as-is. ${interval}.`,
    config: "ipvs.tcpTimeout",
  },
  "ipvs-tcpfin-timeout": {
    type: "duration",
    help: `The timeout for IPVS TCP connections after receiving a FIN packet, 0 to leave as-is. ${interval}.`,
    config: "ipvs.tcpFinTimeout",
  },
  "ipvs-udp-timeout": {
    type: "duration",
    help: `The timeout for IPVS UDP packets, 0 to leave as-is. ${interval}.`,
    config: "ipvs.udpTimeout",
  },
} satisfies FlagSet;

/** Every flag of kube-proxy, and that of traces. Upstream: cmd/kube-proxy/app/options.go. */
export const proxyFlags = {
  ...clientFlags,
  ...nodeFlags,
  ...ruleFlags,
  ...conntrackFlags,
  ...ipvsFlags,
  ...tracingFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

/** The flag sections of --help. */
export const flagSectionList = [
  { title: "client", flags: clientFlags },
  { title: "node", flags: nodeFlags },
  { title: "rules", flags: ruleFlags },
  { title: "ipvs", flags: ipvsFlags },
  { title: "conntrack", flags: conntrackFlags },
  { title: "traces", flags: tracingFlags },
  { title: "logs", flags: logFlags },
  { title: "global", flags: globalFlags },
] as const;
