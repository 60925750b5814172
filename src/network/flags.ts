import { globalFlags } from "#/component/component-command.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const accessFlags = {
  kubeconfig: { type: "string", help: "The kubeconfig file." },
  master: { type: "string", help: "The API server's address, instead of the kubeconfig's." },
  "node-name": { type: "string", help: "The name of this node. Default: the hostname." },
} satisfies FlagSet;

const podNetworkFlags = {
  "cluster-cidr": {
    type: "stringSlice",
    help: "The networks of all pods; packets within them are not masqueraded.",
  },
  "load-balancer-cidr": {
    type: "stringSlice",
    help: "The networks of load balancers' addresses, which the proxy handles: this node reaches them, and refuses what the proxy leaves.",
  },
  "load-balancer-routes-netns": {
    type: "string",
    help: "The `file` of the network namespace around this node's, which gets routes to load balancers whose connections stay on the nodes with Pods.",
  },
  "load-balancer-announce": {
    type: "bool",
    help: "Answer ARP and NDP for addresses of load balancers on this node's link, one node per address: neighbours need no routes.",
  },
  "cni-conf-dir": {
    type: "string",
    default: "/etc/cni/net.d",
    help: "The folder of the container runtime's network configuration.",
  },
  "cni-data-dir": {
    type: "string",
    help: "The folder of allocated addresses. Default: the plugin's, for all networks of a machine.",
  },
  bridge: { type: "string", default: "cni0", help: "The bridge that pods are attached to." },
  backend: {
    type: "string",
    default: "auto",
    help: "How other nodes are reached: direct (routes), vxlan (a tunnel), or auto (a tunnel to those on other links).",
  },
  mtu: {
    type: "uint16",
    help: "The MTU of pods. Default: the link's, minus the tunnel's header if there is one.",
  },
  "vxlan-id": { type: "uint32", default: 1, help: "The tunnel's number." },
  "vxlan-port": { type: "uint16", default: 8472, help: "The tunnel's UDP port." },
  "ip-masq": {
    type: "bool",
    default: true,
    help: "Masquerade packets that leave the pod network.",
  },
  "anti-spoofing": {
    type: "bool",
    default: true,
    help: "Drop packets of pods that have the addresses of others, and packets for the tunnel that are not of a node. Pods that add addresses of their own need it off.",
  },
  cleanup: { type: "bool", help: "Remove everything that this program has set up, and exit." },
} satisfies FlagSet;

/** The flags of the pod network. */
export const networkFlags = {
  ...accessFlags,
  ...podNetworkFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type NetworkFlags = FlagValues<typeof networkFlags>;

/** The flag sections of --help. */
export const flagSectionList = [
  { title: "API server", flags: accessFlags },
  { title: "pod network", flags: podNetworkFlags },
  { title: "logs", flags: logFlags },
  { title: "global", flags: globalFlags },
] as const;
