import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";
import { optionalParts } from "../parts/enabled-parts.ts";

/** The cluster of a command. */
export const clusterFlags = {
  name: {
    type: "string",
    help: "The cluster's `name`; if not given, $K8TS_CLUSTER, then the current context, then k8ts.",
  },
  "data-dir": {
    type: "string",
    help: "The `folder` of the cluster; /var/lib/k8ts if not given, or /var/lib/k8ts-NAME.",
  },
} satisfies FlagSet;

/** Flags of `up` and `join` about this machine. */
export const nodeFlags = {
  "node-name": { type: "string", help: "The node's name; the machine's host name if not given." },
  "node-ip": {
    type: "string",
    help: "The node's `address`; that of the default route if not given, looked up at each start.",
  },
  "container-runtime-endpoint": {
    type: "string",
    help: "The `socket` of a container runtime to use, unix:///…; without it, k8ts runs a containerd of its own.",
  },
  "no-install": {
    type: "bool",
    help: "Never install system packages; say what is missing instead.",
  },
  "proxy-mode": {
    type: "string",
    default: "nftables",
    help: "How services are routed: nftables or iptables.",
  },
  disable: {
    type: "stringSlice",
    help: `\`Parts\` that the cluster does without: ${optionalParts.join(", ")}. Empty for none.`,
  },
  timeout: {
    type: "duration",
    default: 120_000,
    help: "How long to wait for the node to become ready.",
  },
} satisfies FlagSet;

export const upFlags = {
  ...clusterFlags,
  ...nodeFlags,
  ...logFlags,
  nodes: {
    type: "int",
    default: 1,
    help: "How many nodes the cluster has at least on this machine; more than one live in network namespaces.",
  },
  kubeconfig: {
    type: "string",
    help: "The `file` that gets the cluster's context; $KUBECONFIG if not given, or ~/.kube/config of who calls sudo.",
  },
  "tls-san": {
    type: "stringSlice",
    help: "More `names` and addresses by which the API server is reached, for its certificate.",
  },
  "secure-port": { type: "int", default: 6443, help: "The `port` of the API server." },
  "pod-network-cidr": { type: "string", default: "10.244.0.0/16", help: "Addresses of pods." },
  "service-cidr": { type: "string", default: "10.96.0.0/12", help: "Addresses of services." },
  "service-dns-domain": { type: "string", default: "cluster.local", help: "The cluster's domain." },
} satisfies FlagSet;

export type UpFlags = FlagValues<typeof upFlags>;
