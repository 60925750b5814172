import type { Logger } from "#/std/log/log.ts";
import { errorOf } from "#/std/netlink/netlink-message.ts";
import { netfilterProtocol, sendNetlink } from "#/std/netlink/send-netlink.ts";
import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import type { IpFamily } from "../base/ip-family.ts";
import { deleteFlowMessage } from "./delete-flow-message.ts";
import { parseFlows, type UdpFlow } from "./parse-flows.ts";
import { type PortWithEndpoints, staleFlows } from "./stale-flows.ts";

interface ForgetOptions {
  readonly run: RunProgram;
  readonly log: Logger;
}

/** Error number of a flow that has ended meanwhile (ENOENT). */
const noSuchFlow = 2;

/** Deletes stale UDP flows from the kernel, and returns their number. */
export async function forgetStaleFlows(
  family: IpFamily,
  ports: Iterable<PortWithEndpoints>,
  options: ForgetOptions,
): Promise<number> {
  const args = ["-f", family.toLowerCase(), "-p", "udp"];
  const stale = staleFlows(parseFlows(await options.run("conntrack", ["-L", ...args])), ports);
  try {
    return await deleteFlows(stale, options);
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return await deleteByEndpoint(stale, args, options);
  }
}

/** Deletes flows one by one, over netlink. */
async function deleteFlows(flows: readonly UdpFlow[], { run, log }: ForgetOptions) {
  const answers = await sendNetlink(run, netfilterProtocol, flows.map(deleteFlowMessage));
  const errors = answers.map(errorOf);
  const failed = errors.filter((error) => error !== 0 && error !== noSuchFlow);
  if (failed.length > 0) {
    log.warning("failed to delete conntrack entries", { count: failed.length, errno: failed[0] });
  }
  return errors.filter((error) => error === 0).length;
}

/**
 * Deletes the flows of each address and endpoint with a process. Each reads the whole table, which is
 * slow if there are many, but needs no other program.
 */
async function deleteByEndpoint(
  flows: readonly UdpFlow[],
  args: readonly string[],
  { run, log }: ForgetOptions,
): Promise<number> {
  const filters = flows.map(({ original, reply }) => [
    "--orig-dst",
    original.destination,
    "--orig-port-dst",
    String(original.destinationPort),
    "--reply-src",
    reply.source,
    "--reply-port-src",
    String(reply.sourcePort),
  ]);
  for (const [text, filter] of new Map(filters.map((filter) => [filter.join(" "), filter]))) {
    // Deleting fails if the flow has ended meanwhile.
    await run("conntrack", ["-D", ...args, ...filter]).catch((error: unknown) =>
      log.v(2, "failed to delete conntrack entries", { flow: text, error }),
    );
  }
  return flows.length;
}
