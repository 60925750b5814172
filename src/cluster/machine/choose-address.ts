import { cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { isLinkLocal, parseIp } from "#/std/net/ip.ts";

/** An IPv4 address of an interface of this machine. */
export interface InterfaceAddress {
  readonly address: string;
  /** Of other programs' making, such as Docker's: others don't reach the machine there. */
  readonly isBridge: boolean;
}

/** What is looked at to find the node's address. */
export interface AddressSources {
  readonly addresses: readonly InterfaceAddress[];
  /** Where the default route sends from; undefined if there is none. */
  readonly routeSource: string | undefined;
}

export interface AddressWish {
  /** The addresses of pods: the node's own bridge has one of them. */
  readonly podCidr: string;
  /** The address that the node had. */
  readonly previous?: string | undefined;
}

export interface ChosenAddress {
  readonly address: string;
  /** A guess may be wrong while the machine starts: the default route may come yet. */
  readonly isGuess: boolean;
}

/**
 * The address by which other machines reach this one: the one that its default route sends from, or the one it had, or the
 * first of an interface that is no bridge.
 */
export function chooseAddress(
  { addresses, routeSource }: AddressSources,
  { podCidr, previous }: AddressWish,
): ChosenAddress | undefined {
  const pods = parseCidr(podCidr);
  const usable = addresses.filter(({ address }) => {
    const ip = parseIp(address);
    return ip !== undefined && !(pods && cidrContains(pods, ip));
  });
  const known = [routeSource, previous].find((one) =>
    usable.some(({ address }) => address === one),
  );
  if (known !== undefined) return { address: known, isGuess: false };
  const outward = usable.filter(({ isBridge }) => !isBridge);
  const isLocal = ({ address }: InterfaceAddress): boolean => {
    const ip = parseIp(address);
    return ip !== undefined && isLinkLocal(ip);
  };
  const first = outward.find((one) => !isLocal(one)) ?? outward[0];
  return first && { address: first.address, isGuess: true };
}
