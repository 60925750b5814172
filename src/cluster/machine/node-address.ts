import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { runProgram } from "#/std/process/run-program.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { AddressFamily } from "../base/address-families.ts";
import { ownCommand } from "../base/own-command.ts";
import {
  type AddressOptions,
  type ChosenAddress,
  chooseAddress,
  type InterfaceAddress,
} from "./choose-address.ts";

/** The addresses of this machine's interfaces, except loopback; of IPv6 those that other links reach. */
function machineAddresses(wanted: AddressFamily): InterfaceAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const isBridge = existsSync(`/sys/class/net/${name}/bridge`);
    return addresses
      .filter(({ family, internal }) => family === `IPv${wanted}` && !internal)
      .filter(({ address }) => !address.startsWith("fe80:"))
      .map(({ address }) => ({ address, isBridge }));
  });
}

/** Whether an interface of this machine has the address. */
export const hasAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));

/** This machine's current address; undefined if it has none but loopback. */
export async function findAddress(options: AddressOptions): Promise<ChosenAddress | undefined> {
  return chooseAddress(
    {
      addresses: machineAddresses(options.family),
      routeSource: await findRouteSource(options.family),
    },
    options,
  );
}

/** The source address of the default route, from the kernel; nothing is sent. */
async function findRouteSource(family: AddressFamily): Promise<string | undefined> {
  // Any address beyond the default route. There may be no such route, or no `ip` program yet.
  const beyond = family === 4 ? "1.1.1.1" : "2001:db8::1";
  const text = await runProgram("ip", [`-${family}`, "route", "get", beyond]).catch(() => "");
  return /\bsrc (\S+)/.exec(text)?.[1];
}

/** Timeouts (ms) of a booting machine for a default route, and for any address. */
const routeMs = 10_000;

const addressMs = 60_000;

const intervalMs = 500;

/** Waits until the machine has an address: at boot it may get one after its programs start. */
export async function waitForAddress(
  options: AddressOptions,
  signal: AbortSignal,
  { find = findAddress, clock = systemClock }: { find?: typeof findAddress; clock?: Clock } = {},
): Promise<string> {
  const began = clock.monotonicMs();
  for (;;) {
    const found = await find(options);
    const waitedMs = clock.monotonicMs() - began;
    if (found && (!found.isGuess || waitedMs >= routeMs)) return found.address;
    if (waitedMs >= addressMs) throw new Error(noAddressText(options.family));
    await clock.sleep(intervalMs, signal);
  }
}

export const noAddressText = (family: AddressFamily): string =>
  `this machine has no IPv${family} address but loopback; give one to an interface, and name it with --node-ip`;

/** The problem of a given address; undefined if there is none. */
export const missingAddressText = (address: string): string =>
  `no interface has the address ${address}, which was given with --node-ip; give it to one, or start with the new one: ${ownCommand("up --node-ip=ADDRESS")}`;
