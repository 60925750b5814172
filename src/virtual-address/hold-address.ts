import { createSocket } from "node:dgram";
import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type AddressPlan, holdersOf, type ListedLink, planAddress } from "./plan-address.ts";

/** Pauses (ms) between the first announcements, as one may be lost, and then between checks that the address is still there. */
const announceMs = [0, 300, 1_000, 3_000] as const;
const checkMs = 5_000;
/** How long (ms) the kernel has to ask for a neighbour. */
const askMs = 200;
/** The port of discard: nothing is expected to listen. */
const discardPort = 9;

interface HoldOptions {
  readonly address: string;
  readonly run: RunProgram;
  /** Writes a value below /proc/sys. */
  setKernelValue(path: string, value: string): Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

const listLinks = async (run: RunProgram): Promise<ListedLink[]> =>
  JSON.parse(await run("ip", ["-j", "addr"])) as ListedLink[];

/** Gives this machine the address and notifies its neighbours, until the signal aborts; then takes it away. */
export async function holdAddress(options: HoldOptions, signal: AbortSignal): Promise<void> {
  const { address, run, clock, log } = options;
  try {
    for (let count = 0; !signal.aborted; count++) {
      const links = await listLinks(run);
      const plan = planAddress(address, links);
      if (!plan) throw new Error(`no interface of this machine is in the network of ${address}`);
      const isThere = holdersOf(address, links).includes(plan.device);
      if (!isThere) await add(options, plan);
      if (!isThere || count < announceMs.length) await announce(options, plan);
      if (count === 0) log.info("holds the virtual address", { address, device: plan.device });
      await clock.sleep(announceMs[count + 1] ?? checkMs, signal).catch(() => undefined);
    }
  } finally {
    await dropAddress(options);
    log.info("gave the virtual address up", { address });
  }
}

/** Takes the address away from this machine, also that of a term that has ended with its process. */
export async function dropAddress({
  address,
  run,
}: Pick<HoldOptions, "address" | "run">): Promise<void> {
  const bits = address.includes(":") ? 128 : 32;
  for (const device of holdersOf(address, await listLinks(run))) {
    await run("ip", ["address", "del", `${address}/${bits}`, "dev", device]).catch(isGone);
  }
}

function isGone(error: unknown): void {
  if (!/Cannot assign requested address/.test((error as { stderr?: string }).stderr ?? "")) {
    throw error;
  }
}

/** The kernel notifies neighbours of IPv6 by itself, if it is asked to, once it knows that no other has the address. */
async function add(
  { run, setKernelValue }: HoldOptions,
  { device, family, cidr }: AddressPlan,
): Promise<void> {
  if (family === 6) await setKernelValue(`net/ipv6/conf/${device}/ndisc_notify`, "1");
  await run("ip", ["address", "replace", cidr, "dev", device]);
}

/**
 * Notifies neighbours of IPv4: the kernel asks all of them for an address that it does not know, in the name of the virtual one, and
 * who knows that one learns its new place.
 */
async function announce(
  { address, clock, log }: HoldOptions,
  { family, neighbours }: AddressPlan,
): Promise<void> {
  if (family === 6) return;
  const socket = createSocket("udp4");
  const failed = (error: Error): void =>
    log.error(error, "failed to announce the virtual address", { address });
  socket.on("error", failed);
  try {
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    for (const neighbour of neighbours) socket.send("", discardPort, neighbour);
    await clock.sleep(askMs);
  } finally {
    socket.close();
  }
}
