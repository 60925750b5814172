import { globalFlags } from "#/component/component-command.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const ownFlags = {
  kubeconfig: {
    type: "string",
    help: "The kubeconfig `file` with which the list of servers is followed.",
  },
  "certificate-authority": {
    type: "string",
    help: "The `file` of the authority of the servers.",
  },
  server: {
    type: "stringSlice",
    help: "The `addresses` of servers, https://HOST:PORT, until others are known.",
  },
  "own-server": {
    type: "string",
    help: "The `address` of a server on this machine, used while it works.",
  },
  "servers-file": { type: "string", help: "The `file` in which the known servers are kept." },
  "bind-address": { type: "string", default: "127.0.0.1", help: "The address to listen on." },
  port: { type: "uint16", default: 6444, help: "The port to listen on." },
} satisfies FlagSet;

/** The flags of the balancer. */
export const balancerFlags = { ...ownFlags, ...logFlags, ...globalFlags } satisfies FlagSet;

export type BalancerFlags = FlagValues<typeof balancerFlags>;

export const flagSectionList = [
  { title: "Balancer", flags: ownFlags },
  { title: "Logs", flags: logFlags },
  { title: "Global", flags: globalFlags },
];
