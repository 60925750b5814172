import { isLinkLocal, isLoopback, parseNetIp } from "#/std/net/ip.ts";
import { addressesOf, type IpFamily } from "../base/ip-family.ts";
import { dummyDevice } from "./names.ts";

/** The addresses of one family in the kernel. */
export interface InstalledAddresses {
  readonly hasDevice: boolean;
  /** Those of the dummy interface. */
  readonly bound: ReadonlySet<string>;
  /** Those of other interfaces. */
  readonly node: ReadonlySet<string>;
}

interface ListedInterface {
  readonly ifname?: string;
  readonly addr_info?: readonly { readonly local?: string }[];
}

/** Parses the output of `ip -json address show`. Loopback and IPv6's link-local addresses are left out. */
export function parseAddresses(text: string, family: IpFamily): InstalledAddresses {
  const listed = JSON.parse(text) as ListedInterface[];
  const addresses = (isDummy: boolean): Set<string> => {
    const infos = listed
      .filter(({ ifname }) => (ifname === dummyDevice) === isDummy)
      .flatMap(({ addr_info = [] }) => addr_info);
    return new Set(
      addressesOf(
        family,
        infos.flatMap(({ local }) => (local === undefined ? [] : [local])),
      ).filter(isReachable),
    );
  };
  return {
    hasDevice: listed.some(({ ifname }) => ifname === dummyDevice),
    bound: addresses(true),
    node: addresses(false),
  };
}

function isReachable(address: string): boolean {
  const ip = parseNetIp(address);
  return ip !== undefined && !isLoopback(ip) && !(ip.family === 6 && isLinkLocal(ip));
}
