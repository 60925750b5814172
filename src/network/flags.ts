import { globalFlags } from "#/component/component-command.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const accessFlags = {
  kubeconfig: { type: "string", help: "The file that says how the API server is reached." },
  master: { type: "string", help: "The API server's address, instead of the kubeconfig's." },
  "node-name": { type: "string", help: "The name of this node. Default: the hostname." },
} satisfies FlagSet;

const podNetworkFlags = {
  "cluster-cidr": {
    type: "stringSlice",
    help: "The networks of all pods, within which addresses stay as they are.",
  },
  "cni-conf-dir": {
    type: "string",
    default: "/etc/cni/net.d",
    help: "Where the container runtime looks for its network configuration.",
  },
  "cni-data-dir": {
    type: "string",
    help: "Where it is kept which addresses are taken. Default: what the plugin has, for all networks of a machine.",
  },
  bridge: { type: "string", default: "cni0", help: "The bridge that pods are attached to." },
  backend: {
    type: "string",
    default: "auto",
    help: "How other nodes are reached: direct (routes), vxlan (a tunnel), or auto (a tunnel to those on other links).",
  },
  mtu: {
    type: "uint16",
    help: "The largest packet of pods. Default: what fits the links, less the tunnel's header if there is one.",
  },
  "vxlan-id": { type: "uint32", default: 1, help: "The tunnel's number." },
  "vxlan-port": { type: "uint16", default: 8472, help: "The tunnel's UDP port." },
  "ip-masq": {
    type: "bool",
    default: true,
    help: "Whether packets that leave the pod network get the node's address.",
  },
  cleanup: { type: "bool", help: "Removes all that this program has set up, and ends." },
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
