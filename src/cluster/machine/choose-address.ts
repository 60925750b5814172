import { cidrContains } from "#/std/net/cidr.ts";
import { isLinkLocal, parseNetIp } from "#/std/net/ip.ts";
import { type AddressFamily, parsedCidrs } from "../base/address-families.ts";

/** An address of an interface of this machine. */
export interface InterfaceAddress {
  readonly address: string;
  /** True for interfaces of other programs, such as Docker's: other machines don't reach them. */
  readonly isBridge: boolean;
}

/** The input for choosing the node's address. */
export interface AddressSources {
  readonly addresses: readonly InterfaceAddress[];
  /** Source address of the default route; undefined if there is none. */
  readonly routeSource: string | undefined;
}

export interface AddressOptions {
  /** The addresses of pods: the node's own bridge has one of them. */
  readonly podCidr: string;
  /** The family of the address. */
  readonly family: AddressFamily;
  /** The previous address of the node. */
  readonly previous?: string | undefined;
}

export interface ChosenAddress {
  readonly address: string;
  /** A guess may be wrong at boot: a default route may be added later. */
  readonly isGuess: boolean;
}

/**
 * The address by which other machines reach this one: the source of its default route, or its previous one, or the
 * first of an interface that is no bridge.
 */
export function chooseAddress(
  { addresses, routeSource }: AddressSources,
  { podCidr, previous }: Omit<AddressOptions, "family">,
): ChosenAddress | undefined {
  const pods = parsedCidrs(podCidr);
  const usable = addresses.filter(({ address }) => {
    const ip = parseNetIp(address);
    return ip !== undefined && !pods.some((cidr) => cidrContains(cidr, ip));
  });
  const known = [routeSource, previous].find((one) =>
    usable.some(({ address }) => address === one),
  );
  if (known !== undefined) return { address: known, isGuess: false };
  const outward = usable.filter(({ isBridge }) => !isBridge);
  const isLocal = ({ address }: InterfaceAddress): boolean => {
    const ip = parseNetIp(address);
    return ip !== undefined && isLinkLocal(ip);
  };
  const first = outward.find((one) => !isLocal(one)) ?? outward[0];
  return first && { address: first.address, isGuess: true };
}
