import { virtualAddressHolder } from "../access/server-roles.ts";
import { logFlagsOf, type Part } from "./part.ts";

/** The address that moves to a server that works: each of them is a candidate. */
export const virtualAddress: Part = {
  name: "virtual-address",
  summary: "an address of all servers (no upstream flags)",
  load: () => import("#/virtual-address/run.ts"),
  canBeDisabled: false,
  isNeeded: ({ virtualAddress: address }) => address !== undefined,
  server: {
    flags: ({ settings }) => ({
      address: settings.virtualAddress ?? "",
      "node-name": settings.nodeName,
      ...logFlagsOf(settings),
    }),
    async run(args, signal, { connected }) {
      const connect = await connected(signal);
      const { start } = await import("#/virtual-address/run.ts");
      await start(args, signal, { connect: () => connect(virtualAddressHolder) });
    },
  },
};
