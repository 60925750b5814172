import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";
import { defaultPool } from "../base/load-balancer-pool.ts";
import { parts } from "../parts/index.ts";
import { memberFlags } from "./store-flags.ts";
import { argFlagsOf, clusterFlags, nodeFlags, upFlags } from "./up-flags.ts";

/** The flags of `join`. */
export const joinFlags = {
  ...clusterFlags,
  config: {
    type: "string",
    help: "A `file` with a JoinConfiguration of kubeadm, and configurations of components. Flags win over it.",
  },
  server: {
    type: "bool",
    help: "Become a server: the command is printed by k8ts token create --server.",
  },
  "certificate-key": {
    type: "string",
    help: "For a server: the `key` that opens the keys of the cluster, as k8ts token create --server printed it.",
  },
  ...memberFlags,
  kubeconfig: upFlags.kubeconfig,
  "tls-san": upFlags["tls-san"],
  ...nodeFlags,
  ...logFlags,
  ...argFlagsOf(parts.filter(({ agent }) => agent).map(({ name }) => name)),
  token: { type: "string", help: "The `token` that k8ts token create printed." },
  "ca-hash": {
    type: "string",
    help: "The `hash` of the cluster's authority, as k8ts token create printed it.",
  },
  "pod-network-cidr": { type: "string", default: "10.244.0.0/16", help: "As the server has it." },
  "service-cidr": { type: "string", default: "10.96.0.0/12", help: "As the server has it." },
  "service-dns-domain": { type: "string", default: "cluster.local", help: "As the server has it." },
  "lb-pool": { type: "string", default: defaultPool, help: "As the server has it." },
} satisfies FlagSet;

export type JoinFlags = FlagValues<typeof joinFlags>;
