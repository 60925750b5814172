import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { runProgram } from "#/std/process/run-program.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { ownCommand } from "../base/own-command.ts";
import {
  type AddressWish,
  type ChosenAddress,
  chooseAddress,
  type InterfaceAddress,
} from "./choose-address.ts";

/** The addresses that this machine's interfaces have, loopback aside. */
function machineAddresses(): InterfaceAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const isBridge = existsSync(`/sys/class/net/${name}/bridge`);
    return addresses
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => ({ address, isBridge }));
  });
}

/** Whether an interface of this machine has the address. */
export const hasAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));

/** This machine's address as it is now; undefined if it has none but loopback. */
export async function findAddress(wish: AddressWish): Promise<ChosenAddress | undefined> {
  return chooseAddress(
    { addresses: machineAddresses(), routeSource: await findRouteSource() },
    wish,
  );
}

/** The kernel is asked where a packet to the world would come from; nothing is sent. */
async function findRouteSource(): Promise<string | undefined> {
  // There may be no route to the world, or no `ip` yet.
  const text = await runProgram("ip", ["-4", "route", "get", "1.1.1.1"]).catch(() => "");
  return /\bsrc (\S+)/.exec(text)?.[1];
}

/** How long a machine that starts may take to get a default route, and an address at all. */
const routeMs = 10_000;

const addressMs = 60_000;

const lookMs = 500;

/** Waits for the machine to have an address: when it starts, that may come later than its programs. */
export async function waitForAddress(
  wish: AddressWish,
  signal: AbortSignal,
  { find = findAddress, clock = systemClock }: { find?: typeof findAddress; clock?: Clock } = {},
): Promise<string> {
  const began = clock.monotonicMs();
  for (;;) {
    const found = await find(wish);
    const waitedMs = clock.monotonicMs() - began;
    if (found && (!found.isGuess || waitedMs >= routeMs)) return found.address;
    if (waitedMs >= addressMs) throw new Error(noAddressText);
    await clock.sleep(lookMs, signal);
  }
}

export const noAddressText =
  "this machine has no address but loopback; give one to an interface, and name it with --node-ip";

/** What is wrong with an address that was given; undefined if nothing is. */
export const missingAddressText = (address: string): string =>
  `no interface has the address ${address}, which was given with --node-ip; give it to one, or start with the new one: ${ownCommand("up --node-ip=ADDRESS")}`;
