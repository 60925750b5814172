import { globalFlags } from "#/component/component-command.ts";
import { tracingFlags } from "#/component/tracing-configuration.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const accessFlags = {
  kubeconfig: { type: "string", help: "The kubeconfig file." },
  master: { type: "string", help: "The API server's address, instead of the kubeconfig's." },
} satisfies FlagSet;

const modeFlags = {
  mode: {
    type: "string",
    default: "node",
    help: "What to run: node (answer the Pods of this node), or service (keep the Service kube-dns and its endpoints, which are the nodes: once in a cluster).",
  },
  "cluster-ip": {
    type: "string",
    help: "The address of that Service. Default: one that the API server chooses.",
  },
  cleanup: { type: "bool", help: "Remove that Service and its endpoints, and exit." },
} satisfies FlagSet;

const serverFlags = {
  "bind-address": {
    type: "stringSlice",
    help: "The addresses to answer on. Default: the first address of each of the node's pod networks, where the pod network's bridge has it.",
  },
  port: { type: "uint16", default: 53, help: "The port to answer on." },
  "node-name": {
    type: "string",
    help: "The name of this node, whose pod networks determine the addresses. Default: the hostname.",
  },
  "cluster-domain": { type: "string", default: "cluster.local", help: "The cluster's domain." },
  ttl: { type: "uint32", default: 30, help: "TTL of answers in seconds." },
  upstream: {
    type: "stringSlice",
    help: "The upstream servers for other names, as IP or IP:port. Default: those of --resolv-conf.",
  },
  "corefile-configmap": {
    type: "string",
    default: "kube-system/coredns",
    help: "The ConfigMap, `NAMESPACE/NAME`, whose key Corefile replaces the configuration of the flags; empty: none.",
  },
  "resolv-conf": {
    type: "string",
    default: "/etc/resolv.conf",
    help: "The file with the upstream servers for other names; empty: none.",
  },
  "status-bind-address": {
    type: "string",
    default: "127.0.0.1:9153",
    help: "Where /health, /ready and /metrics are served; empty: nowhere.",
  },
} satisfies FlagSet;

/** Of the flag that other components have, too: here a span is a query. */
const traceFlags = {
  "tracing-config-file": {
    ...tracingFlags["tracing-config-file"],
    help: "A file that says where spans are sent: one for each query.",
  },
} satisfies FlagSet;

/** The flags of cluster-dns. */
export const dnsFlags = {
  ...accessFlags,
  ...modeFlags,
  ...serverFlags,
  ...traceFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type DnsFlags = FlagValues<typeof dnsFlags>;

/** The flag sections of --help. */
export const flagSectionList = [
  { title: "API server", flags: accessFlags },
  { title: "mode", flags: modeFlags },
  { title: "server", flags: serverFlags },
  { title: "traces", flags: traceFlags },
  { title: "logs", flags: logFlags },
  { title: "global", flags: globalFlags },
] as const;
