import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";
import { optionalParts } from "../parts/enabled-parts.ts";
import { parts } from "../parts/index.ts";
import { runtimeNames } from "../runtimes/index.ts";
import { storeFlags } from "./store-flags.ts";

/** More flags of parts. */
export const argFlagsOf = (
  names: readonly string[],
): { readonly [Name in `${string}-arg`]: PartArgFlag } =>
  Object.fromEntries(
    names.map((name) => [
      `${name}-arg`,
      {
        type: "stringArray" as const,
        help: `A flag of ${name}, \`NAME=VALUE\`; can be given several times.`,
        // Their long names would leave no room for the help of the others; the command's description names them.
        hidden: true as const,
      },
    ]),
  );

interface PartArgFlag {
  readonly type: "stringArray";
  readonly help: string;
  readonly hidden: true;
}

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

/** The container runtime that a node runs. */
export const ownRuntimeFlags = {
  runtime: {
    type: "string",
    default: runtimeNames[0] ?? "",
    help: `The container runtime that k8ts runs: ${runtimeNames.join(", ")}.`,
  },
  "runtime-dir": {
    type: "string",
    help: "A `folder` with programs of that runtime, used before those in $PATH.",
  },
} satisfies FlagSet;

/** The container runtime of a machine. */
export const runtimeFlags = {
  ...ownRuntimeFlags,
  "container-runtime-endpoint": {
    type: "string",
    help: "The `socket` of a container runtime that runs already, unix:///…, to use instead.",
  },
} satisfies FlagSet;

/** Flags of `up` and `join` about this machine. */
export const nodeFlags = {
  "node-name": { type: "string", help: "The node's name; the machine's host name if not given." },
  "node-ip": {
    type: "string",
    help: "The node's `address`, or one of each family; that of the default route if not given, looked up at each start.",
  },
  ...runtimeFlags,
  "no-install": {
    type: "bool",
    help: "Never install system packages; say what is missing instead.",
  },
  "proxy-mode": {
    type: "string",
    default: "nftables",
    help: "How services are routed: nftables, iptables or ipvs.",
  },
  "anti-spoofing": {
    type: "bool",
    default: true,
    help: "Drop packets of Pods that have the addresses of others; Pods that add addresses of their own need it off.",
  },
  "lb-announce": {
    type: "bool",
    help: "Answer ARP for the addresses of load balancers, one node per address: a pool of the nodes' own network needs no routes.",
  },
  "registry-mirror": {
    type: "stringSlice",
    help: "`Mirrors` of registries, asked in their order before the registry itself: docker.io=https://HOST:PORT. Empty for none.",
  },
  disable: {
    type: "stringSlice",
    help: `\`Parts\` that the cluster does without: ${optionalParts.join(", ")}. Empty for none.`,
  },
  "node-labels": {
    type: "stringSlice",
    help: "`Labels` that the node gets when it is made: NAME=VALUE.",
  },
  "node-taints": {
    type: "stringSlice",
    help: "`Taints` that the node gets when it is made: KEY=VALUE:EFFECT.",
  },
  timeout: {
    type: "duration",
    default: 120_000,
    help: "How long to wait for the node to become ready.",
  },
} satisfies FlagSet;

export const upFlags = {
  ...clusterFlags,
  config: {
    type: "string",
    help: "A `file` with the configuration; /etc/k8ts/config.yaml if that exists. Flags win over it.",
  },
  "dry-run": {
    type: "bool",
    help: "Only check everything, and print what would change.",
  },
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
  "virtual-address": {
    type: "string",
    help: "An `address` of the servers' own network that moves to a server that works. Empty for none.",
  },
  manifests: {
    type: "stringSlice",
    help: "`Folders` of manifests that are applied, and again when they change; what is no longer in them is removed. Empty for none.",
  },
  audit: {
    type: "bool",
    default: true,
    help: "Record who has changed what in log/audit.log, which is bounded.",
  },
  "encrypt-secrets": {
    type: "bool",
    default: true,
    help: "Encrypt Secrets in the store of a new cluster; later: k8ts certificate rotate encryption.",
  },
  "secure-port": { type: "int", default: 6443, help: "The `port` of the API server." },
  "pod-network-cidr": {
    type: "string",
    default: "10.244.0.0/16",
    help: "Addresses of pods; of both families if a comma separates two networks.",
  },
  "service-cidr": {
    type: "string",
    default: "10.96.0.0/12",
    help: "Addresses of services, of the same families.",
  },
  "service-dns-domain": { type: "string", default: "cluster.local", help: "The cluster's domain." },
  "lb-pool": {
    type: "string",
    help: "Addresses of load balancers; 198.18.0.0/24 if not given, or another such network for a cluster with --name, and one of IPv6.",
  },
  ...storeFlags,
  pki: {
    type: "string",
    help: "A `folder` with the authorities and keys of an existing cluster, as kubeadm has it: for a new server on that cluster's etcd.",
  },
  ...argFlagsOf(parts.map(({ name }) => name)),
} satisfies FlagSet;

export type UpFlags = FlagValues<typeof upFlags>;
