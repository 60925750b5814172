import { globalFlags } from "#/component/component-command.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const ownFlags = {
  address: { type: "string", help: "The `address` that one server at a time has." },
  kubeconfig: { type: "string", help: "The kubeconfig `file` by which the lease is held." },
  "node-name": { type: "string", help: "The `name` of this candidate; the host's if not given." },
  "lease-duration": {
    type: "duration",
    default: 3_000,
    help: "How long the others wait for a holder that is silent.",
  },
  "renew-deadline": {
    type: "duration",
    default: 2_000,
    help: "How long the holder may fail to renew before it gives the address up.",
  },
  "retry-period": { type: "duration", default: 500, help: "The interval of attempts." },
} satisfies FlagSet;

/** The flags of the virtual address. */
export const virtualAddressFlags = { ...ownFlags, ...logFlags, ...globalFlags } satisfies FlagSet;

export type VirtualAddressFlags = FlagValues<typeof virtualAddressFlags>;

export const flagSectionList = [
  { title: "Virtual address", flags: ownFlags },
  { title: "Logs", flags: logFlags },
  { title: "Global", flags: globalFlags },
];
