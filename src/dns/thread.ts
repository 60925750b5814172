import { serveThread } from "#/component/serve-thread.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logAs } from "#/std/log/log-as.ts";
import { applyLogFlags } from "#/std/log/log-flags.ts";
import { dnsFlags } from "./flags.ts";
import { start } from "./run.ts";

/** The DNS server of a node in a thread of its own. */
await serveThread(async (args, signal) => {
  applyLogFlags(parseFlags(dnsFlags, args).values);
  await logAs("cluster-dns", () => start(args, signal, { awaitsKubeconfig: true }));
});
