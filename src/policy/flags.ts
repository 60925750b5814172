import { globalFlags } from "#/component/component-command.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const accessFlags = {
  kubeconfig: { type: "string", help: "The kubeconfig `file`." },
  master: { type: "string", help: "The address of the API server, over that of the kubeconfig." },
  "node-name": { type: "string", help: "The name of this node. Default: the hostname." },
} satisfies FlagSet;

const policyFlags = {
  "pod-cidr": {
    type: "stringSlice",
    help: "The networks of this node's Pods, in which addresses without a known Pod get no packets. Default: those of its Node.",
  },
  "status-bind-address": {
    type: "string",
    default: "127.0.0.1:10263",
    help: "Where /healthz, /readyz and /metrics are served; empty: nowhere.",
  },
  cleanup: { type: "bool", help: "Remove the rules of all policies, and exit." },
} satisfies FlagSet;

/** The flags of network-policy. */
export const networkPolicyFlags = {
  ...accessFlags,
  ...policyFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type NetworkPolicyFlags = FlagValues<typeof networkPolicyFlags>;

/** The flag sections of --help. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  { title: "API server", flags: accessFlags },
  { title: "Policies", flags: policyFlags },
  { title: "Logs", flags: logFlags },
  { title: "Global", flags: globalFlags },
];
